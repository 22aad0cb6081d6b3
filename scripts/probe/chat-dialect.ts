import type { ProbeDialect } from './probe-dialect.ts';

interface Completion {
  readonly choices: readonly {
    readonly message: {
      readonly content: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
    };
  }[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  };
}

/** OpenAI Chat Completions. Models that can think do so by default. */
export const CHAT_DIALECT: ProbeDialect = {
  format: 'openai-chat',
  path: () => '/v1/chat/completions',
  headers: {},
  mostOutputTokens: 2_048,
  writeBody: ({ model, system, history, tools }) => ({
    model,
    messages: [{ role: 'system', content: system }, ...history],
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
  }),
  writeUser: (content) => ({ role: 'user', content }),
  writeResults: (calls, content) => calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content })),
  read(body) {
    const { choices, usage } = body as Completion;
    const { message } = choices[0]!;
    return {
      messages: [message],
      calls: (message.tool_calls ?? []).map(({ id, function: { name } }) => ({ id, name })),
      hasThinking: message.reasoning_content !== undefined,
      inputTokens: usage?.prompt_tokens ?? 0,
      cachedTokens: usage?.prompt_tokens_details?.cached_tokens,
    };
  },
};
