import type { WrittenResponse } from '../format-fixtures.ts';

/** A content block of a whole response; `partialInput` replaces `input` in a stream that was cut off. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** A message to be written. */
export interface MessageToWrite {
  readonly id: string;
  readonly content: readonly Block[];
  readonly stopReason: string;
  /** The pieces of the input of a call in a stream; two by default. */
  readonly piecesOf?: ((text: string) => readonly string[]) | undefined;
}

/** The usage of every response written here. */
export const USAGE = { input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 7 };

/**
 * Returns the same response streamed and whole, as the provider writes them: every text and every input in
 * several pieces.
 */
export function writeResponse({
  id,
  content,
  stopReason,
  piecesOf = halves,
}: MessageToWrite): WrittenResponse {
  const message = { id, type: 'message', role: 'assistant', model: 'claude-opus-4-6' };
  const end = { stop_reason: stopReason, stop_sequence: null };
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const events = [
    { type: 'message_start', message: { ...start, usage: { ...USAGE, output_tokens: 1 } } },
    { type: 'ping' },
    ...content.flatMap((block, index) => blockEvents(block, index, piecesOf)),
    { type: 'message_delta', delta: end, usage: { output_tokens: USAGE.output_tokens } },
    { type: 'message_stop' },
  ];
  return {
    stream: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    whole: JSON.stringify({ ...message, content: content.map(wholeBlock), ...end, usage: USAGE }),
  };
}

/** The provider replaces an input that is not JSON. */
function wholeBlock({ partialInput, ...block }: Block) {
  return block;
}

function blockEvents(block: Block, index: number, piecesOf: (text: string) => readonly string[]) {
  const { start, deltas } = splitBlock(block, piecesOf);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function splitBlock(
  block: Block,
  inputPieces: (text: string) => readonly string[],
): { start: Block; deltas: Block[] } {
  const piecesOf = (value: unknown, type: string, key: string) =>
    halves(String(value)).map((piece) => ({ type, [key]: piece }));
  switch (block.type) {
    case 'text':
      return { start: { ...block, text: '' }, deltas: piecesOf(block.text, 'text_delta', 'text') };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          ...piecesOf(block.thinking, 'thinking_delta', 'thinking'),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use': {
      const { partialInput = JSON.stringify(block.input), ...start } = block;
      const pieces = ['', ...inputPieces(String(partialInput))];
      return {
        start: { ...start, input: {} } as unknown as Block,
        deltas: pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      };
    }
    default:
      return { start: block, deltas: [] };
  }
}

/** Two pieces, cut between characters. */
function halves(text: string): string[] {
  const characters = [...text];
  const middle = Math.floor(characters.length / 2);
  return [characters.slice(0, middle).join(''), characters.slice(middle).join('')];
}
