/** Maximum length of a first sentence, in UTF-16 code units; a text without full stops has none. */
const MAX_LEAD_CHARS = 400;

/**
 * Returns the end of a description's first sentence in an array of code units. Deliberately coarse and cheap,
 * because it runs for every tool; an "e.g." that ends the sentence early only moves some words to the lower
 * weight.
 */
export function leadEnd(units: Uint16Array, start: number, end: number): number {
  const last = Math.min(end, start + MAX_LEAD_CHARS);
  for (let at = start + 1; at < last; at++) {
    const code = units[at]!;
    if (code === LINE_FEED) return at;
    if (code === SPACE && isSentenceEnd(units[at - 1]!)) return at;
    if (code === IDEOGRAPHIC_FULL_STOP) return at + 1;
  }
  return end;
}

const LINE_FEED = 10;
const SPACE = 32;
const IDEOGRAPHIC_FULL_STOP = 0x3002;

function isSentenceEnd(code: number): boolean {
  return code === 46 || code === 33 || code === 63;
}
