import type { ProbeDialect } from './probe-dialect.ts';

interface Interaction {
  readonly steps: readonly {
    readonly type: string;
    readonly id?: string;
    readonly name?: string;
    readonly signature?: string;
  }[];
  readonly usage?: { readonly total_input_tokens?: number; readonly total_cached_tokens?: number };
}

/** Models that can return their thoughts; others refuse the setting. */
const THINKING = /gemini-(?:2\.5|[3-9])/;

/** Gemini's Interactions. Nothing is stored: requests carry the whole history, with signed thoughts. */
export const INTERACTIONS_DIALECT: ProbeDialect = {
  format: 'gemini-interactions',
  path: () => '/v1beta/interactions',
  headers: {},
  mostOutputTokens: 2_048,
  writeBody: ({ model, system, history, tools, thinks }) => ({
    model,
    store: false,
    system_instruction: system,
    input: history,
    tools: tools.map((tool) => ({ type: 'function', ...tool })),
    generation_config: {
      max_output_tokens: 2_048,
      ...(thinks && THINKING.test(model) && { thinking_summaries: 'auto' }),
    },
  }),
  writeUser: (text) => ({ type: 'user_input', content: [{ type: 'text', text }] }),
  writeResults: (calls, result) =>
    calls.map(({ id, name }) => ({ type: 'function_result', call_id: id, name, result })),
  read(body) {
    const { steps, usage } = body as Interaction;
    return {
      messages: steps,
      calls: steps.flatMap(({ type, id = '', name = '' }) =>
        type === 'function_call' ? [{ id, name }] : [],
      ),
      hasThinking: steps.some(({ type }) => type === 'thought'),
      inputTokens: usage?.total_input_tokens ?? 0,
      cachedTokens: usage?.total_cached_tokens,
    };
  },
};
