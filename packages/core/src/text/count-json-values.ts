const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * The values of a JSON text in UTF-8, as far as its commas and opening brackets tell; it stops behind `limit`. In a text that is not JSON, how far
 * parsing could come.
 */
export function countJsonValues(bytes: Uint8Array, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length && count <= limit; at++) {
    const byte = bytes[at]!;
    if (isInString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) count++;
  }
  return count;
}
