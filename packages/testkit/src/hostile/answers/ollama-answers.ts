import type { AnswerGrammar } from './answer-grammar.ts';

const line = (message: string, more = '"done":false') =>
  `{"model":"m","created_at":"x","message":${message},${more}}`;

/** Ollama's own API. */
export const ollamaAnswers: AnswerGrammar = {
  contentType: 'application/x-ndjson',
  write: (data) => `${data}\n`,
  endless: '{"x":"',
  comment: '\n',
  good: [
    line('{"role":"assistant","content":"Hel"}'),
    line('{"role":"assistant","content":"lo"}'),
    line('{"role":"assistant","content":""}', '"done":true,"done_reason":"stop"'),
  ],
  odd: (value) => [
    value,
    line(value),
    line(`{"content":${value}}`),
    line(`{"tool_calls":${value}}`),
    line(`{"tool_calls":[${value}]}`),
    `{"done":${value}}`,
    `{"error":${value}}`,
  ],
  call: ({ name, text }) => [
    line(
      `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"${name}","arguments":{"query":${JSON.stringify(text)}}}}]}`,
    ),
  ],
  more: line('{"role":"assistant","content":"more "}'),
  wholeCall: (name) => `{"function":{"name":"${name}","arguments":{}}}`,
  wholes: (value, calls) => [
    value,
    line(`{"role":"assistant","content":${value},"tool_calls":[${calls}]}`, '"done":true'),
    line(value, '"done":true'),
    `{"error":${value}}`,
  ],
};
