import { foldToLine, removeInvisible } from '@winnow/core';

/** Scanned text for one line, as a multiple of the line's length. */
const SCANNED = 16;

/** A text on one line, cut at a grapheme when it is longer than so many characters. */
export function displayLine(text: string, maxChars: number): string {
  // The rest cannot be shown, and may be megabytes.
  return foldToLine(removeInvisible(text.slice(0, SCANNED * maxChars)), maxChars);
}
