import type { Interruption } from './interruption.ts';
import type { Piece } from './scripted-answer.ts';

/** The whole text of the pieces, without what happens between them. */
export function textOf(pieces: Iterable<Piece>): string {
  let text = '';
  for (const piece of pieces) if (typeof piece === 'string') text += piece;
  return text;
}

/** Goes through pieces: strings become what `write` makes of them, interruptions stay. Lazy, one piece at a time. */
export function* writePieces<Item>(
  pieces: Iterable<Piece>,
  write: (text: string) => Item,
): Generator<Item | Interruption> {
  for (const piece of pieces) yield typeof piece === 'string' ? write(piece) : piece;
}
