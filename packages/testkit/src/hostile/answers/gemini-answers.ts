import type { AnswerGrammar } from './answer-grammar.ts';

const chunk = (parts: string, more = '') =>
  `{"candidates":[{"content":{"parts":${parts},"role":"model"},${more}"index":0}],"responseId":"r1","modelVersion":"m"}`;

const STOP = '"finishReason":"STOP",';

const called = (name: string, text: string) =>
  `{"functionCall":{"name":"${name}","args":{"query":${JSON.stringify(text)}}},"thoughtSignature":"c2ln"}`;

/** Gemini's generateContent as server-sent events. */
export const geminiAnswers: AnswerGrammar = {
  contentType: 'text/event-stream',
  write: (data) => `data: ${data}\r\n\r\n`,
  endless: 'data: {"x":"',
  comment: ': x\n\n',
  good: [
    chunk('[{"text":"Hel"}]'),
    chunk('[{"text":"lo"}]'),
    chunk('[{"text":""}]', STOP),
    '{"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}',
  ],
  odd: (value) => [
    value,
    chunk(value),
    chunk(`[{"text":${value}},${value}]`),
    chunk(`[{"functionCall":${value}}]`),
    chunk(`[{"functionCall":{"name":"tool_1","args":${value}},"thoughtSignature":${value}}]`),
    chunk(
      `[{"functionCall":{"name":"tool_1","willContinue":true,"partialArgs":[{"jsonPath":"$.a[0]","stringValue":${value},"willContinue":true},{"jsonPath":"$.a[0]","numberValue":${value}}]}}]`,
    ),
    chunk(`[{"functionCall":{"partialArgs":${value},"willContinue":${value}}}]`),
    chunk('[]', `"finishReason":${value},"groundingMetadata":${value},`),
    `{"candidates":${value}}`,
    `{"usageMetadata":${value},"promptFeedback":${value},"responseId":${value}}`,
    `{"promptFeedback":{"blockReason":${value}}}`,
    `{"error":${value}}`,
  ],
  call: ({ name, text }) => [chunk(`[${called(name, text)}]`)],
  more: chunk(
    '[{"functionCall":{"partialArgs":[{"jsonPath":"$.query","stringValue":"more ","willContinue":true}],"willContinue":true}}]',
  ),
  wholeCall: (name) => called(name, 'x'),
  wholes: (value, calls) => [
    value,
    chunk(`[{"text":${value}},${value}]`, STOP),
    chunk(`[${calls}]`, STOP),
    `{"candidates":${value},"usageMetadata":${value}}`,
    `{"promptFeedback":${value}}`,
    `{"error":${value}}`,
  ],
};

/** The same responses as one JSON array, the form of a stream without `alt=sse`. */
export const geminiArrayAnswers: AnswerGrammar = {
  ...geminiAnswers,
  contentType: 'application/json',
  around: ['[{"responseId":"r1"}', '\n]'],
  write: (data) => `,\r\n${data}`,
  endless: ',{"x":"',
  comment: '\n',
};
