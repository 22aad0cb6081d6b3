import type { AnswerGrammar } from './answer-grammar.ts';

const response = (status: string, output: string, more = '') =>
  `{"id":"resp_1","object":"response","created_at":1,"model":"m","status":${status},"tools":[],${more}"output":${output}}`;

const message = (text: string) =>
  `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":${text},"annotations":[]}]}`;

const call = (index: number, name: string, text: string) =>
  `{"type":"function_call","id":"fc_${index}","call_id":"call_${index}","name":"${name}","arguments":${JSON.stringify(text)},"status":"completed"}`;

export const responsesAnswers: AnswerGrammar = {
  contentType: 'text/event-stream',
  write(data) {
    const name = /^\{"type":"([\w.]+)"/.exec(data)?.[1];
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
  },
  endless: 'data: {"x":"',
  comment: ': x\n\n',
  good: [
    `{"type":"response.created","sequence_number":0,"response":${response('"in_progress"', '[]')}}`,
    '{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"msg_1","role":"assistant","status":"in_progress","content":[]}}',
    '{"type":"response.output_text.delta","sequence_number":2,"output_index":0,"content_index":0,"item_id":"msg_1","delta":"Hello"}',
    `{"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":${message('"Hello"')}}`,
    `{"type":"response.completed","sequence_number":4,"response":${response('"completed"', `[${message('"Hello"')}]`)}}`,
  ],
  odd: (value) => [
    value,
    `{"type":${value}}`,
    `{"type":"response.created","response":${value}}`,
    `{"type":"response.in_progress","response":${response(value, value)}}`,
    `{"type":"response.output_item.added","output_index":${value},"item":${value}}`,
    `{"type":"response.output_item.done","output_index":0,"item":{"type":${value},"content":${value}}}`,
    `{"type":"response.output_text.delta","output_index":${value},"delta":${value}}`,
    `{"type":"response.completed","response":${value}}`,
    `{"type":"response.completed","response":${response('"completed"', `[${value}]`, `"usage":${value},"input_transformations":${value},`)}}`,
    `{"type":"response.failed","response":${response('"failed"', '[]', `"error":${value},`)}}`,
    `{"type":"response.incomplete","response":{"id":${value},"incomplete_details":${value},"output":${value}}}`,
    `{"type":"error","message":${value}}`,
  ],
  call: ({ index, name, text }) => [
    `{"type":"response.output_item.added","output_index":${index},"item":${call(index, name, '')}}`,
    `{"type":"response.function_call_arguments.delta","output_index":${index},"item_id":"fc_${index}","delta":${JSON.stringify(text)}}`,
    `{"type":"response.output_item.done","output_index":${index},"item":${call(index, name, text)}}`,
  ],
  more: '{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"fc_0","delta":"more "}',
  wholeCall: (name) => call(0, name, '{}'),
  wholes: (value, calls) => [
    value,
    response('"completed"', `[${message(value)},${value}]`),
    response('"completed"', `[${calls}]`, `"usage":${value},`),
    response('"failed"', '[]', `"error":${value},`),
    `{"output":${value}}`,
    `{"error":${value}}`,
  ],
};
