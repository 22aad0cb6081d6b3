import { endOfString } from './json-splice.ts';

/** JSON values in a request, in a whole response or in an event: what 20,000 tools with small schemas hold, and a third of a second at most. */
export const MAX_VALUES = 500_000;

/**
 * Characters outside of strings in the same: blanks, numbers, what stands between values. Each is looked at several times, and so many take a third of a
 * second; bodies with as many values as are read have less, also where they are indented.
 */
const MAX_OUTSIDE_CHARS = 16 * 1024 * 1024;

/** How deeply the values of a response may be nested: writing them again takes a part of the stack for each level. */
const MAX_DEPTH = 1_000;

/** Whether a response, or an event of one, may be parsed and written again: it holds no more values than that, and none too deeply nested. */
export function isReadable(text: string): boolean {
  return !hasManyValues(text, MAX_VALUES) && !isNestedDeeply(text);
}

function isNestedDeeply(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false;
  let depth = 0;
  let position = 0;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      position = endOfString(text, position);
      continue;
    }
    position += 1;
    if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth -= 1;
  }
  return false;
}

/**
 * Whether a JSON text holds more than `limit` values, as far as its commas and opening brackets tell; in a text that is no JSON,
 * whether parsing it could come that far.
 *
 * A value of two characters takes a hundred bytes once it is parsed and looked at, so that a text of 50 MB can fill a heap of
 * 4 GB and hold every other request up for half a minute. Long strings are passed over natively: they cost what they are long, no more.
 */
export function hasManyValues(text: string, limit: number): boolean {
  // Every value has a comma or a bracket of its own, and so many blanks are more than that.
  return text.length > limit && countValues(text, limit) > limit;
}

/** The values of a JSON text, as `hasManyValues` counts them; it stops behind `limit`. A text with too many characters between them has no end of them. */
export function countValues(text: string, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  let position = 0;
  // Moves on with every string, so that what is outside of them has a bound without being counted.
  let end = Math.min(text.length, MAX_OUTSIDE_CHARS);
  while (position < end) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      const behind = endOfString(text, position);
      end = Math.min(text.length, end + behind - position);
      position = behind;
      continue;
    }
    position += 1;
    if (code !== COMMA && code !== OPENING_BRACE && code !== OPENING_BRACKET) continue;
    count += 1;
    if (count > limit) return count;
  }
  return position < text.length ? Number.POSITIVE_INFINITY : count;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
