import type { Interruption } from './interruption.ts';
import type { Piece } from './scripted-answer.ts';

/** Returns the whole text of the pieces, without interruptions. */
export function textOf(pieces: Iterable<Piece>): string {
  let text = '';
  for (const piece of pieces) if (typeof piece === 'string') text += piece;
  return text;
}

/** Returns the texts of the pieces, without interruptions. */
export function stringsOf(pieces: Iterable<Piece>): string[] {
  return [...pieces].filter((piece) => typeof piece === 'string');
}

/** Maps pieces: `write` converts strings, interruptions stay as they are. Lazy, one piece at a time. */
export function* writePieces<Item>(
  pieces: Iterable<Piece>,
  write: (text: string) => Item,
): Generator<Item | Interruption> {
  for (const piece of pieces) yield typeof piece === 'string' ? write(piece) : piece;
}
