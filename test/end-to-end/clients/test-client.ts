import type { CatalogueTool } from '../catalogue.ts';

/** What a conversation is made of. */
export interface ConversationRequest {
  /** Of the provider or of the proxy, without a path. */
  readonly url: string;
  readonly model: string;
  readonly tools: readonly CatalogueTool[];
  /** What the user says, one turn after the other. */
  readonly userMessages: readonly string[];
  readonly isStream: boolean;
  readonly thinks: boolean;
  /** Aborted while the client waits: it leaves by what its library has for that, and its user asks once more. It stays when this is left out. */
  readonly leaving?: AbortSignal;
}

/** A client library as its users use it: an agent loop that runs each tool and goes on until the model has called none. */
export interface TestClient {
  readonly name: string;
  readonly format:
    | 'openai'
    | 'responses'
    | 'anthropic'
    | 'gemini'
    | 'interactions'
    | 'ollama'
    | 'converse'
    | 'invoke';
  /** Set for a client that signs as AWS wants it: the upstream whose requests the proxy signs anew, and the service that is signed for. */
  readonly signs?: SignedService;
  /** What the library gave its user for each answer: ids, texts, calls, arguments, stop reasons; thinking and usage left out. */
  readonly converse: (request: ConversationRequest) => Promise<unknown[]>;
}

/** A service of AWS's, and the built-in upstream that stands for it. */
export interface SignedService {
  readonly upstream: 'bedrock' | 'anthropic' | 'openai';
  readonly service: 'bedrock' | 'bedrock-mantle';
}

/**
 * An answer; asked for once more where the client has left the first time, as its user does.
 *
 * What a library makes of being left is its own matter: some throw, others end what they have.
 */
export async function askUnlessLeft<Answer>(
  { leaving }: Pick<ConversationRequest, 'leaving'>,
  ask: (signal: AbortSignal | undefined) => Promise<Answer>,
): Promise<Answer> {
  if (leaving === undefined || leaving.aborted) return ask(undefined);
  try {
    const answer = await ask(leaving);
    if (!leaving.aborted) return answer;
  } catch (error) {
    if (!leaving.aborted) throw error;
  }
  return ask(undefined);
}

/** What every tool answers in these conversations. */
export function runTool(name: string, input: unknown): string {
  return `${name} did ${JSON.stringify(input)}`;
}

/** The most answers that one message of the user may take; an agent loop that goes on is stuck. */
export const MAX_STEPS = 8;

/** How Anthropic's models are asked to think: those of the fifth generation decide themselves how much. */
export function thinkingOf(model: string): { type: 'adaptive' } | { type: 'enabled'; budget_tokens: number } {
  return model.includes('claude-opus-5') ? { type: 'adaptive' } : { type: 'enabled', budget_tokens: 1_024 };
}
