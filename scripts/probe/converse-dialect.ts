import type { ProbeDialect } from './probe-dialect.ts';

interface Block {
  readonly reasoningContent?: object;
  readonly toolUse?: { readonly toolUseId: string; readonly name: string };
}

interface Message {
  readonly role: string;
  readonly content: readonly unknown[];
}

interface Conversation {
  readonly output: { readonly message: { readonly content: readonly Block[] } };
  readonly usage: {
    readonly inputTokens: number;
    readonly cacheReadInputTokens?: number;
    readonly cacheWriteInputTokens?: number;
  };
}

/**
 * Bedrock's Converse. Each model vendor has its own switch for thinking, so the probe does not request it.
 */
export const CONVERSE_DIALECT: ProbeDialect = {
  format: 'bedrock-converse',
  path: (model) => `/model/${encodeURIComponent(model)}/converse`,
  headers: {},
  mostOutputTokens: 2_048,
  writeBody: ({ system, history, tools }) => ({
    system: [{ text: system }],
    messages: inTurns(history as readonly Message[]),
    toolConfig: {
      tools: tools.map(({ name, description, parameters }) => ({
        toolSpec: { name, description, inputSchema: { json: parameters } },
      })),
    },
    inferenceConfig: { maxTokens: 2_048 },
  }),
  writeUser: (text) => ({ role: 'user', content: [{ text }] }),
  writeResults: (calls, text) => [
    {
      role: 'user',
      content: calls.map(({ id }) => ({ toolResult: { toolUseId: id, content: [{ text }] } })),
    },
  ],
  read(body) {
    const { output, usage } = body as Conversation;
    const { content } = output.message;
    const cached = usage.cacheReadInputTokens;
    return {
      messages: [{ role: 'assistant', content }],
      calls: content.flatMap(({ toolUse }) =>
        toolUse ? [{ id: toolUse.toolUseId, name: toolUse.name }] : [],
      ),
      hasThinking: content.some(({ reasoningContent }) => reasoningContent !== undefined),
      inputTokens: usage.inputTokens + (cached ?? 0) + (usage.cacheWriteInputTokens ?? 0),
      cachedTokens: cached,
    };
  },
};

/** Merges neighbours: user and model must alternate, and two messages of one role in a row are refused. */
function inTurns(history: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of history) {
    const last = turns.at(-1);
    if (last?.role !== message.role) turns.push(message);
    else turns[turns.length - 1] = { ...last, content: [...last.content, ...message.content] };
  }
  return turns;
}
