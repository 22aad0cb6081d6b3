import { ANSWER_TEXT } from './answer-text.ts';

/** The responses of the bench's upstream in the shape of Gemini, with as much text as in other formats. */

const TEXT_PIECES = 20;
const PIECE = `${ANSWER_TEXT} some words of an answer. `;

/** A whole text response. */
export const GEMINI_WHOLE: Buffer = Buffer.from(generation({ text: PIECE.repeat(TEXT_PIECES) }, 'STOP'));

/** The same response as the events of a stream, written one by one. */
export const GEMINI_STREAM: readonly Buffer[] = [
  ...Array.from({ length: TEXT_PIECES }, () => event(generation({ text: PIECE }))),
  event(generation({ text: '' }, 'STOP')),
];

/** A response that searches for tools, as the events of a stream. */
export function geminiSearch(query: string): Buffer[] {
  const functionCall = { name: 'gateway_search_tools', args: { query } };
  return [event(generation({ functionCall })), event(generation({ text: '' }, 'STOP'))];
}

function generation(part: object, finishReason?: string): string {
  return JSON.stringify({
    candidates: [{ content: { parts: [part], role: 'model' }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 140, totalTokenCount: 240 },
    modelVersion: 'bench-1',
    responseId: 'bench',
  });
}

function event(data: string): Buffer {
  return Buffer.from(`data: ${data}\r\n\r\n`);
}
