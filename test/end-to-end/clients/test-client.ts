import type { CatalogueTool } from '../catalogue.ts';

/** Options of a conversation. */
export interface ConversationRequest {
  /** Address of the provider or the proxy, without a path. */
  readonly url: string;
  readonly model: string;
  readonly tools: readonly CatalogueTool[];
  /** The user's messages, one per turn. */
  readonly userMessages: readonly string[];
  readonly isStream: boolean;
  readonly thinks: boolean;
  /**
   * Aborted while the client waits: the client leaves by its library's own means, and its user asks once
   * more. By default it stays.
   */
  readonly leaving?: AbortSignal;
  /** The function by which the library sends its requests; by default the global one. */
  readonly fetch?: typeof fetch;
}

/** The options of a library that takes a function for its requests. */
export function withFetch({ fetch }: ConversationRequest): { fetch?: typeof globalThis.fetch } {
  return fetch === undefined ? {} : { fetch };
}

/**
 * A client library in typical use: an agent loop that runs each tool and continues until the model makes no
 * more calls.
 */
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
  /**
   * For a client that signs for AWS: the upstream whose requests the proxy signs again, and the service in
   * the signature's scope.
   */
  readonly signs?: SignedService;
  /**
   * The library's result for each response: ids, texts, calls, arguments, stop reasons; without thinking and
   * usage.
   */
  readonly converse: (request: ConversationRequest) => Promise<unknown[]>;
}

/** A service of AWS, and the built-in upstream for it. */
export interface SignedService {
  readonly upstream: 'bedrock' | 'anthropic' | 'openai';
  readonly service: 'bedrock' | 'bedrock-mantle';
}

/**
 * Returns a response; asks once more if the client left the first time, as its user would.
 *
 * Libraries react differently to an abort: some throw, others end with what they have.
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

/** The result of every tool in these conversations. */
export function runTool(name: string, input: unknown): string {
  return `${name} did ${JSON.stringify(input)}`;
}

/** Maximum number of responses for one message of the user; an agent loop that continues is stuck. */
export const MAX_STEPS = 8;

/**
 * The settings with which Anthropic's models think: those of the fifth generation decide for themselves how
 * much.
 */
export function thinkingOf(model: string): { type: 'adaptive' } | { type: 'enabled'; budget_tokens: number } {
  return model.includes('claude-opus-5') ? { type: 'adaptive' } : { type: 'enabled', budget_tokens: 1_024 };
}
