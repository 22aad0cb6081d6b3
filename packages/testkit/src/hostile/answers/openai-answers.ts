import type { AnswerGrammar } from './answer-grammar.ts';

const chunk = (delta: string, reason = 'null') =>
  `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":${reason}}]}`;

/** Chat Completions. */
export const openaiAnswers: AnswerGrammar = {
  contentType: 'text/event-stream',
  write: (data) => `data: ${data}\n\n`,
  endless: 'data: {"x":"',
  comment: ': x\n\n',
  good: [
    chunk('{"role":"assistant","content":""}'),
    chunk('{"content":"Hello"}'),
    chunk('{}', '"stop"'),
    '[DONE]',
  ],
  odd: (value) => [
    value,
    chunk(value),
    chunk(`{"content":${value}}`),
    chunk(`{"tool_calls":${value}}`),
    chunk(`{"tool_calls":[${value},{"index":0}]}`),
    chunk('{}', value),
    `{"choices":${value}}`,
    `{"choices":[],"usage":${value}}`,
    `{"error":${value}}`,
  ],
  call: ({ index, name, text }) => [
    chunk(
      `{"tool_calls":[{"index":${index},"id":"call_${index}","type":"function","function":{"name":"${name}","arguments":${JSON.stringify(text)}}}]}`,
    ),
  ],
  more: chunk('{"tool_calls":[{"index":0,"function":{"arguments":"more "}}]}'),
  wholeCall: (name) => `{"id":"c","type":"function","function":{"name":"${name}","arguments":"{}"}}`,
  wholes: (value, calls) => [
    value,
    `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":${value},"tool_calls":[${calls}]},"finish_reason":"stop"}]}`,
    `{"choices":${value}}`,
    `{"choices":[{"message":${value}}]}`,
    `{"error":${value}}`,
    `{"id":"c","more":${value},"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"usage":${value}}`,
  ],
};
