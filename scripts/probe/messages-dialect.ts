import type { ProbeDialect } from './probe-dialect.ts';

interface Message {
  readonly content: readonly { readonly type: string; readonly id?: string; readonly name?: string }[];
  readonly usage: {
    readonly input_tokens: number;
    readonly cache_read_input_tokens?: number | null;
    readonly cache_creation_input_tokens?: number | null;
  };
}

const THINKING_TOKENS = 1_024;

/** Models that decide for themselves how much they think. */
const ADAPTIVE = /(?:opus|sonnet|haiku)-(?:4[-.]6|[5-9])|fable|mythos/;

/** Anthropic Messages, with a cache mark on the system prompt. */
export const MESSAGES_DIALECT: ProbeDialect = {
  format: 'anthropic-messages',
  path: () => '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  mostOutputTokens: 2_048,
  writeBody: ({ model, system, history, tools, thinks }) => ({
    model,
    max_tokens: 2_048,
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    messages: history,
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    })),
    ...(thinks && {
      thinking: ADAPTIVE.test(model)
        ? { type: 'adaptive' }
        : { type: 'enabled', budget_tokens: THINKING_TOKENS },
    }),
  }),
  writeUser: (content) => ({ role: 'user', content }),
  writeResults: (calls, content) => [
    { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content })) },
  ],
  read(body) {
    const { content, usage } = body as Message;
    const cached = usage.cache_read_input_tokens ?? undefined;
    return {
      messages: [{ role: 'assistant', content }],
      calls: content.flatMap(({ type, id = '', name = '' }) => (type === 'tool_use' ? [{ id, name }] : [])),
      hasThinking: content.some(({ type }) => type === 'thinking' || type === 'redacted_thinking'),
      inputTokens: usage.input_tokens + (cached ?? 0) + (usage.cache_creation_input_tokens ?? 0),
      cachedTokens: cached,
    };
  },
};
