import { frame } from '../../bedrock/event-stream-framing.ts';
import type { AnswerGrammar } from './answer-grammar.ts';
import { anthropicAnswers } from './anthropic-answers.ts';

const CONTENT_TYPE = 'application/vnd.amazon.eventstream';

/** Returns a frame as a text with one character per byte. */
const frameText = (type: string, payload: string) =>
  frame({ ':message-type': 'event', ':event-type': type }, payload).toString('latin1');

let endless: string | undefined;

/** The beginning of a frame of nearly the maximum length; created on first use. */
function endlessFrame(): string {
  endless ??= frameText('x', 'x'.repeat(8_000_000)).slice(0, 200);
  return endless;
}

/** Converse. An event is written as an object with one member, named after its type. */
export const converseAnswers: AnswerGrammar = {
  contentType: CONTENT_TYPE,
  encoding: 'latin1',
  write(data) {
    const [, type = 'odd', payload = data] = /^\{"(\w+)":([\s\S]*)\}$/.exec(data) ?? [];
    return frameText(type, payload);
  },
  get endless() {
    return endlessFrame();
  },
  comment: frameText('x', '{}'),
  good: [
    '{"messageStart":{"role":"assistant"}}',
    '{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Hello"}}}',
    '{"contentBlockStop":{"contentBlockIndex":0}}',
    '{"messageStop":{"stopReason":"end_turn"}}',
    '{"metadata":{"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2},"metrics":{"latencyMs":1}}}',
  ],
  odd: (value) => [
    value,
    `{"messageStart":${value}}`,
    `{"contentBlockStart":{"contentBlockIndex":${value},"start":${value}}}`,
    `{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":${value}}}}`,
    `{"contentBlockDelta":{"contentBlockIndex":0,"delta":${value}}}`,
    `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"reasoningContent":${value}}}}`,
    `{"messageStop":${value}}`,
    `{"metadata":${value}}`,
    `{"validationException":${value}}`,
  ],
  call: ({ index, name, text }) => [
    `{"contentBlockStart":{"contentBlockIndex":${index},"start":{"toolUse":{"toolUseId":"t_${index}","name":"${name}"}}}}`,
    `{"contentBlockDelta":{"contentBlockIndex":${index},"delta":{"toolUse":{"input":${JSON.stringify(text)}}}}}`,
  ],
  more: '{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"toolUse":{"input":"more "}}}}',
  wholeCall: (name) => `{"toolUse":{"toolUseId":"t","name":"${name}","input":{}}}`,
  wholes: (value, calls) => [
    value,
    `{"output":{"message":{"role":"assistant","content":[{"text":"x"},${value}]}},"stopReason":"end_turn","usage":${value}}`,
    `{"output":${value}}`,
    `{"output":{"message":{"role":"assistant","content":[${calls}]}},"stopReason":"tool_use"}`,
    `{"message":${value}}`,
  ],
};

/** InvokeModel: the events of Messages as base64 in frames. */
export const invokeAnswers: AnswerGrammar = {
  ...anthropicAnswers,
  contentType: CONTENT_TYPE,
  encoding: 'latin1',
  write: (data) => frameText('chunk', JSON.stringify({ bytes: Buffer.from(data).toString('base64') })),
  get endless() {
    return endlessFrame();
  },
  comment: frameText('x', '{}'),
};
