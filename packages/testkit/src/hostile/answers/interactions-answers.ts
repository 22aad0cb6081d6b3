import type { AnswerGrammar } from './answer-grammar.ts';

const interaction = (status: string, more = '') =>
  `{"id":"v1_1","object":"interaction","model":"m",${more}"status":${status}}`;

const output = (text: string) => `{"type":"model_output","content":[{"type":"text","text":${text}}]}`;

const call = (index: number, name: string, args: string) =>
  `{"type":"function_call","id":"call_${index}","name":"${name}","arguments":${args}}`;

/** Gemini's Interactions. */
export const interactionsAnswers: AnswerGrammar = {
  contentType: 'text/event-stream',
  write(data) {
    if (data === '[DONE]') return 'event: done\ndata: [DONE]\n\n';
    const name = /"event_type":"([\w.]+)"\}$/.exec(data)?.[1];
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
  },
  endless: 'data: {"x":"',
  comment: ': x\n\n',
  good: [
    `{"interaction":${interaction('"in_progress"')},"event_type":"interaction.created"}`,
    '{"interaction_id":"v1_1","status":"in_progress","event_type":"interaction.status_update"}',
    '{"index":0,"step":{"type":"model_output"},"event_type":"step.start"}',
    '{"index":0,"delta":{"text":"Hello","type":"text"},"event_type":"step.delta"}',
    '{"index":0,"event_type":"step.stop"}',
    `{"interaction":${interaction('"completed"')},"event_type":"interaction.completed"}`,
    '[DONE]',
  ],
  odd: (value) => [
    value,
    `{"event_type":${value}}`,
    `{"interaction":${value},"event_type":"interaction.created"}`,
    `{"interaction_id":${value},"status":${value},"usage":${value},"event_type":"interaction.status_update"}`,
    `{"index":${value},"step":${value},"event_type":"step.start"}`,
    `{"index":0,"step":{"type":${value},"content":${value},"signature":${value}},"event_type":"step.start"}`,
    `{"index":${value},"delta":${value},"metadata":${value},"event_type":"step.delta"}`,
    `{"index":0,"delta":{"type":"text","text":${value}},"metadata":{"total_usage":${value}},"event_type":"step.delta"}`,
    `{"index":0,"delta":{"type":"arguments_delta","arguments":${value}},"event_type":"step.delta"}`,
    `{"index":0,"delta":{"type":"thought_summary","content":${value}},"event_type":"step.delta"}`,
    `{"index":0,"delta":{"type":"google_search_result","result":${value}},"event_type":"step.delta"}`,
    `{"index":0,"usage":${value},"event_type":"step.stop"}`,
    `{"interaction":${interaction(value, `"usage":${value},"steps":${value},`)},"event_type":"interaction.completed"}`,
    `{"error":${value},"event_type":"error"}`,
  ],
  call: ({ index, name, text }) => [
    `{"index":${index},"step":${call(index, name, '{}')},"event_type":"step.start"}`,
    `{"index":${index},"delta":{"arguments":${JSON.stringify(text)},"type":"arguments_delta"},"event_type":"step.delta"}`,
    `{"index":${index},"event_type":"step.stop"}`,
  ],
  more: '{"index":0,"delta":{"arguments":"more ","type":"arguments_delta"},"event_type":"step.delta"}',
  wholeCall: (name) => call(0, name, '{}'),
  wholes: (value, calls) => [
    value,
    interaction('"completed"', `"steps":[${output(value)},${value}],`),
    interaction('"requires_action"', `"usage":${value},"steps":[${calls}],`),
    interaction('"failed"', `"errors":${value},`),
    interaction(value, `"steps":${value},`),
    `{"error":${value}}`,
  ],
};
