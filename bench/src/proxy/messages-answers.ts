import { ANSWER_TEXT } from './answer-text.ts';

/**
 * The responses of the bench's upstream in the shape of Anthropic Messages, with as much text as in other
 * formats.
 */

const TEXT_PIECES = 20;
const PIECE = `${ANSWER_TEXT} some words of an answer. `;
const MESSAGE = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'bench-1' };
const USAGE = { input_tokens: 100, output_tokens: 140 };

/** A whole text response. */
export const MESSAGES_WHOLE: Buffer = Buffer.from(
  JSON.stringify({
    ...MESSAGE,
    content: [{ type: 'text', text: PIECE.repeat(TEXT_PIECES) }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: USAGE,
  }),
);

/** The same response as the events of a stream, written one by one. */
export const MESSAGES_STREAM: readonly Buffer[] = [
  start(),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...Array.from({ length: TEXT_PIECES }, () =>
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: PIECE } }),
  ),
  ...end('end_turn'),
];

/** A response that searches for tools, as the events of a stream. */
export function messagesSearch(query: string): Buffer[] {
  const call = { type: 'tool_use', id: 'toolu_bench', name: 'gateway_search_tools', input: {} };
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify({ query }) };
  return [
    start(),
    event('content_block_start', { index: 0, content_block: call }),
    event('content_block_delta', { index: 0, delta }),
    ...end('tool_use'),
  ];
}

function start(): Buffer {
  const message = { ...MESSAGE, content: [], stop_reason: null, stop_sequence: null, usage: USAGE };
  return event('message_start', { message });
}

function end(reason: string): Buffer[] {
  const delta = { stop_reason: reason, stop_sequence: null };
  return [
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta, usage: { output_tokens: 140 } }),
    event('message_stop', {}),
  ];
}

function event(type: string, members: object): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`);
}
