import type { ProbeDialect } from './probe-dialect.ts';

interface Response {
  readonly output: readonly {
    readonly type: string;
    readonly call_id?: string;
    readonly name?: string;
  }[];
  readonly usage?: {
    readonly input_tokens?: number;
    readonly input_tokens_details?: { readonly cached_tokens?: number };
  } | null;
}

/** Models that accept a setting for the effort of reasoning. */
const THINKING = /(?:^|\/)(?:gpt-[5-9]|o\d)/;

/** OpenAI Responses. Nothing is stored: requests carry the whole history, with encrypted reasoning. */
export const RESPONSES_DIALECT: ProbeDialect = {
  format: 'openai-responses',
  path: () => '/v1/responses',
  headers: {},
  mostOutputTokens: 2_048,
  writeBody: ({ model, system, history, tools, thinks }) => ({
    model,
    store: false,
    max_output_tokens: 2_048,
    instructions: system,
    input: history,
    tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })),
    ...(thinks && THINKING.test(model) && { reasoning: { effort: 'low' } }),
  }),
  writeUser: (content) => ({ role: 'user', content }),
  writeResults: (calls, output) =>
    calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output })),
  read(body) {
    const { output, usage } = body as Response;
    return {
      messages: output,
      calls: output.flatMap(({ type, call_id: id = '', name = '' }) =>
        type === 'function_call' ? [{ id, name }] : [],
      ),
      hasThinking: output.some(({ type }) => type === 'reasoning'),
      inputTokens: usage?.input_tokens ?? 0,
      cachedTokens: usage?.input_tokens_details?.cached_tokens,
    };
  },
};
