import { endOfString } from './json-splice.ts';

/** JSON values in a request, in a whole response or in an event: what 20,000 tools with small schemas hold, and a third of a second at most. */
export const MAX_VALUES = 500_000;

/** Whether a text holds more values than may be parsed. */
export function hasTooManyValues(text: string): boolean {
  return hasManyValues(text, MAX_VALUES);
}

/**
 * Whether a JSON text holds more than `limit` values, as far as its commas and opening brackets tell; in a text that is no JSON,
 * whether parsing it could come that far.
 *
 * A value of two characters takes a hundred bytes once it is parsed and looked at, so that a text of 50 MB can fill a heap of
 * 4 GB and hold every other request up for half a minute. Long strings are passed over natively: they cost what they are long, no more.
 */
export function hasManyValues(text: string, limit: number): boolean {
  // Every value has a comma or a bracket of its own.
  return text.length > limit && countValues(text, limit) > limit;
}

/** The values of a JSON text, as `hasManyValues` counts them; it stops behind `limit`. */
export function countValues(text: string, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  let position = 0;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      position = endOfString(text, position);
      continue;
    }
    position += 1;
    if (code !== COMMA && code !== OPENING_BRACE && code !== OPENING_BRACKET) continue;
    count += 1;
    if (count > limit) break;
  }
  return count;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
