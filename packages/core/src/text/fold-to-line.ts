import { graphemesOf } from './graphemes-of.ts';

/** A text on one line, cut at a whole character, with an ellipsis, where it is longer than so many UTF-16 code units. */
export function foldToLine(text: string, maxChars: number): string {
  const line = text.toWellFormed().replace(/\s+/g, ' ').trim();
  if (line.length <= maxChars) return line;
  let end = 0;
  for (const character of graphemesOf(line.slice(0, maxChars * 2))) {
    if (end + character.length > maxChars - 1) break;
    end += character.length;
  }
  return `${line.slice(0, end).trimEnd()}…`;
}
