/** The bytes that JSON is written with, and the ends of its strings and numbers: RFC 8259, sections 6 and 7. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** In place of an offset: the bytes are no JSON. */
export const NOT_JSON = -1;

/** What is out of the ordinary in a string; bits. `\n` and the like, `\u…`, bytes that are not ASCII. */
export const SIMPLE_ESCAPE = 1;
export const CODE_ESCAPE = 2;
export const FOREIGN = 4;

/** 1 for every byte that stands for itself in a string: ASCII without quotes, backslashes and control characters. */
export const IS_PLAIN: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 0x20 && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH),
);

/** What a character stands for behind a backslash; 0 for none. `\u` is none of these. */
export const SIMPLE_ESCAPES: Uint8Array = new Uint8Array(256);
for (const [index, letter] of [...'"\\/bfnrt'].entries()) {
  SIMPLE_ESCAPES[letter.charCodeAt(0)] = '"\\/\b\f\n\r\t'.charCodeAt(index);
}

const LETTER_U = 0x75;

/**
 * Offset of the quote that ends a string, from any place within it that is not in an escape; negative when there is none before `limit`, or what
 * is no JSON. Leaves what is out of the ordinary in `marks[node]`. That bytes beyond ASCII are valid UTF-8 is not checked.
 */
export function endOfString(
  bytes: Uint8Array,
  from: number,
  limit: number,
  marks: Uint8Array,
  node: number,
): number {
  let found = 0;
  let at = from;
  while (at < limit) {
    const byte = bytes[at]!;
    if (IS_PLAIN[byte] === 1) {
      at++;
    } else if (byte >= 0x80) {
      found |= FOREIGN;
      at++;
    } else if (byte === QUOTE) {
      marks[node] = found;
      return at;
    } else if (byte === BACKSLASH && at + 1 < limit && SIMPLE_ESCAPES[bytes[at + 1]!] !== 0) {
      found |= SIMPLE_ESCAPE;
      at += 2;
    } else {
      if (byte !== BACKSLASH || at + 1 >= limit || bytes[at + 1] !== LETTER_U) return NOT_JSON;
      if (!areHexDigits(bytes, at + 2, limit)) return NOT_JSON;
      found |= CODE_ESCAPE;
      at += 6;
    }
  }
  return NOT_JSON;
}

function areHexDigits(bytes: Uint8Array, at: number, limit: number): boolean {
  if (at + 4 > limit) return false;
  for (let digit = at; digit < at + 4; digit++) {
    const byte = bytes[digit]!;
    // A bit turns capitals into small letters.
    const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66;
    if (!isDigit(byte) && !isLetter) return false;
  }
  return true;
}

/** Offset behind the number that starts at `from`; negative when none does. */
export function endOfNumber(bytes: Uint8Array, from: number, limit: number): number {
  let at = from;
  if (at < limit && bytes[at] === MINUS) at++;
  if (at >= limit) return NOT_JSON;
  if (bytes[at] === ZERO) at++;
  else at = skipDigits(bytes, at, limit);
  if (at >= 0 && at < limit && bytes[at] === DOT) at = skipDigits(bytes, at + 1, limit);
  if (at >= 0 && at < limit && (bytes[at]! | 0x20) === LETTER_E) {
    at++;
    if (at < limit && (bytes[at] === MINUS || bytes[at] === PLUS)) at++;
    at = skipDigits(bytes, at, limit);
  }
  return at;
}

const LETTER_E = 0x65;
const PLUS = 0x2b;

/** Offset behind at least one digit. */
function skipDigits(bytes: Uint8Array, from: number, limit: number): number {
  let at = from;
  while (at < limit && isDigit(bytes[at]!)) at++;
  return at === from ? NOT_JSON : at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
