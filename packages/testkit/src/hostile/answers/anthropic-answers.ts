import type { AnswerGrammar } from './answer-grammar.ts';

/** Messages. */
export const anthropicAnswers: AnswerGrammar = {
  contentType: 'text/event-stream',
  write(data) {
    const name = /^\{"type":"(\w+)"/.exec(data)?.[1];
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
  },
  endless: 'data: {"x":"',
  comment: ': x\n\n',
  good: [
    '{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}',
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}',
    '{"type":"message_stop"}',
  ],
  odd: (value) => [
    value,
    `{"type":${value}}`,
    `{"type":"message_start","message":${value}}`,
    `{"type":"content_block_start","index":${value},"content_block":${value}}`,
    `{"type":"content_block_delta","index":0,"delta":${value}}`,
    `{"type":"message_delta","delta":${value},"usage":${value}}`,
    `{"type":"error","error":${value}}`,
  ],
  call: ({ index, name, text }) => [
    `{"type":"content_block_start","index":${index},"content_block":{"type":"tool_use","id":"toolu_${index}","name":"${name}","input":{}}}`,
    `{"type":"content_block_delta","index":${index},"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(text)}}}`,
  ],
  more: '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"more "}}',
  wholeCall: (name) => `{"type":"tool_use","id":"t","name":"${name}","input":{}}`,
  wholes: (value, calls) => [
    value,
    `{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"x"},${value}],"stop_reason":"end_turn","usage":${value}}`,
    `{"content":${value}}`,
    `{"id":"m","type":"message","role":"assistant","content":[${calls}],"stop_reason":"tool_use"}`,
    `{"type":"error","error":${value}}`,
  ],
};
