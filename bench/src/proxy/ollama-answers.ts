import { ANSWER_TEXT } from './answer-text.ts';

/** The responses of the bench's upstream in the shape of Ollama, with as much text as in other formats. */

const TEXT_PIECES = 20;
const PIECE = `${ANSWER_TEXT} some words of an answer. `;
const ANSWER = { model: 'bench-1', created_at: '2026-11-21T12:00:00.000000000Z' };

/** A whole text response. */
export const OLLAMA_WHOLE: Buffer = Buffer.from(last({ content: PIECE.repeat(TEXT_PIECES) }));

/** The same response as the lines of a stream, written one by one. */
export const OLLAMA_STREAM: readonly Buffer[] = [
  ...Array.from({ length: TEXT_PIECES }, () => line(part({ content: PIECE }))),
  line(last({ content: '' })),
];

/** A response that searches for tools, as the lines of a stream. */
export function ollamaSearch(query: string): Buffer[] {
  const call = { function: { name: 'gateway_search_tools', arguments: { query } } };
  return [line(part({ content: '', tool_calls: [call] })), line(last({ content: '' }))];
}

function part(message: object): string {
  return JSON.stringify({ ...ANSWER, message: { role: 'assistant', ...message }, done: false });
}

function last(message: object): string {
  const counts = { prompt_eval_count: 100, eval_count: 140 };
  return JSON.stringify({
    ...ANSWER,
    message: { role: 'assistant', ...message },
    done: true,
    done_reason: 'stop',
    ...counts,
  });
}

function line(text: string): Buffer {
  return Buffer.from(`${text}\n`);
}
