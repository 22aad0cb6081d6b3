/** Returns the first run of letters and digits or, in a name without any, its first character. */
export function firstWordOf(folded: string): { word: string; offset: number } {
  for (let at = 0; at < folded.length; at += 1) {
    if (isWordAt(folded, at)) return { word: folded.slice(at, wordEnd(folded, at)), offset: at };
  }
  const word = folded.slice(0, wordEnd(folded, 0));
  return { word, offset: 0 };
}

/**
 * Returns the end of the run of letters and digits that starts here, or of the single other character here.
 */
export function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isWordAt(text, end)) end += charLength(text, end);
  return end > start ? end : start + charLength(text, start);
}

/** Whether the neighbours of this range are not letters, digits, `_`, or a `-` that joins it to a word. */
export function isWhole(text: string, start: number, end: number): boolean {
  return end <= text.length && !isJoinedBefore(text, start) && !isJoinedAfter(text, end);
}

function isJoinedBefore(text: string, start: number): boolean {
  if (start === 0) return false;
  const before = text[start - 1];
  return (
    before === '_' ||
    (before === '-' ? start > 1 && isWordBefore(text, start - 1) : isWordBefore(text, start))
  );
}

function isJoinedAfter(text: string, end: number): boolean {
  if (end === text.length) return false;
  const after = text[end];
  return after === '_' || (after === '-' ? isWordAt(text, end + 1) : isWordAt(text, end));
}

function isWordBefore(text: string, end: number): boolean {
  const isLowSurrogate = (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00;
  return isWordAt(text, end - (isLowSurrogate && end > 1 ? 2 : 1));
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/uy;

/**
 * Whether a letter, a digit or a combining mark is at this place. ASCII, by far the most frequent, is decided
 * without a regular expression.
 */
function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80)
    return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
  WORD_CHARACTER.lastIndex = at;
  return WORD_CHARACTER.test(text);
}

function charLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
