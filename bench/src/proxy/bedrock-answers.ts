import { framingOf } from '@winnow/wire';
import { ANSWER_TEXT } from './answer-text.ts';
import { MESSAGES_STREAM, messagesSearch } from './messages-answers.ts';

/** The responses of the bench's upstream in the shapes of Bedrock, with as much text as in other formats. */

const TEXT_PIECES = 20;
const PIECE = `${ANSWER_TEXT} some words of an answer. `;
const USAGE = { inputTokens: 100, outputTokens: 140, totalTokens: 240 };

export const EVENT_STREAM = 'application/vnd.amazon.eventstream';

/** A whole text response of Converse. */
export const CONVERSE_WHOLE: Buffer = Buffer.from(
  JSON.stringify({
    metrics: { latencyMs: 100 },
    output: { message: { role: 'assistant', content: [{ text: PIECE.repeat(TEXT_PIECES) }] } },
    stopReason: 'end_turn',
    usage: USAGE,
  }),
);

/** The same response as the frames of a stream, written one by one. */
export const CONVERSE_STREAM: readonly Buffer[] = [
  frame('messageStart', { role: 'assistant' }),
  ...Array.from({ length: TEXT_PIECES }, () =>
    frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: PIECE } }),
  ),
  frame('contentBlockStop', { contentBlockIndex: 0 }),
  ...end('end_turn'),
];

/** A Converse response that searches for tools. */
export function converseSearch(query: string): Buffer[] {
  const toolUse = { toolUseId: 'tooluse_bench', name: 'gateway_search_tools' };
  return [
    frame('messageStart', { role: 'assistant' }),
    frame('contentBlockStart', { contentBlockIndex: 0, start: { toolUse } }),
    frame('contentBlockDelta', {
      contentBlockIndex: 0,
      delta: { toolUse: { input: JSON.stringify({ query }) } },
    }),
    frame('contentBlockStop', { contentBlockIndex: 0 }),
    ...end('tool_use'),
  ];
}

/** The Messages response, each event as base64 in a frame. */
export const INVOKE_STREAM: readonly Buffer[] = MESSAGES_STREAM.map(inFrame);

/** A Messages response that searches for tools, in frames. */
export function invokeSearch(query: string): Buffer[] {
  return messagesSearch(query).map(inFrame);
}

/** Returns the data of a server-sent event in the service's framing. */
function inFrame(event: Buffer): Buffer {
  const [, data = ''] = /^data: (.*)$/m.exec(event.toString()) ?? [];
  return frame('chunk', { bytes: Buffer.from(data).toString('base64') });
}

function end(stopReason: string): Buffer[] {
  return [
    frame('messageStop', { stopReason }),
    frame('metadata', { metrics: { latencyMs: 100 }, usage: USAGE }),
  ];
}

function frame(name: string, data: object): Buffer {
  const padded = JSON.stringify({ ...data, p: 'abcdefghijklmnop' });
  const encoder = framingOf(EVENT_STREAM).createEncoder();
  return Buffer.from(encoder.encode([{ kind: 'event', name, data: padded }]) as Uint8Array);
}
