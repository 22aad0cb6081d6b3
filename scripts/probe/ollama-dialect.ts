import type { ProbeDialect } from './probe-dialect.ts';

interface Response {
  readonly message: {
    readonly thinking?: string;
    readonly tool_calls?: readonly { readonly id?: string; readonly function: { readonly name: string } }[];
  };
  readonly prompt_eval_count?: number;
}

/** Ollama's own API. Models that can think do so by default; cache hits are not reported. */
export const OLLAMA_DIALECT: ProbeDialect = {
  format: 'ollama-chat',
  path: () => '/api/chat',
  headers: {},
  mostOutputTokens: 2_048,
  writeBody: ({ model, system, history, tools }) => ({
    model,
    stream: false,
    messages: [{ role: 'system', content: system }, ...history],
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    options: { num_predict: 2_048, num_ctx: 16_384 },
  }),
  writeUser: (content) => ({ role: 'user', content }),
  writeResults: (calls, content) => calls.map(({ name }) => ({ role: 'tool', tool_name: name, content })),
  read(body) {
    const { message, prompt_eval_count: inputTokens = 0 } = body as Response;
    return {
      messages: [message],
      calls: (message.tool_calls ?? []).map(({ id = '', function: { name } }) => ({ id, name })),
      hasThinking: message.thinking !== undefined,
      inputTokens,
      cachedTokens: undefined,
    };
  },
};
