import { endOfString } from '@winnow/core';
import { isJsonObject, type JsonObject, parseJson } from './json-value.ts';

/**
 * The most JSON values in a request, a whole response or an event: 10,000 tools with small schemas. Parsing
 * takes at most a third of a second, when all of them are members with different keys.
 */
export const MAX_VALUES = 250_000;

/**
 * The most characters outside strings in such a text: white space, numbers and punctuation. Each is visited
 * several times, which takes at most a fifth of a second. Bodies within the limit on values have fewer, even
 * if they are indented.
 */
const MAX_OUTSIDE_CHARS = 8 * 1024 * 1024;

/** The deepest nesting of a response's values: writing them again takes stack space for each level. */
const MAX_DEPTH = 1_000;

/**
 * Whether a response or an event may be parsed and written again: it has neither too many values nor too deep
 * nesting.
 */
export function isReadable(text: string): boolean {
  return !hasManyValues(text, MAX_VALUES) && !isNestedDeeply(text);
}

/**
 * Parses the arguments of a call, which a model writes as text within its response: undefined when they are no
 * object, or have too many values or too deep nesting. The limits of a response do not see into its strings.
 */
export function parseArguments(text: string): JsonObject | undefined {
  const parsed = isReadable(text) ? parseJson(text) : undefined;
  return isJsonObject(parsed) ? parsed : undefined;
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
 * Whether a JSON text holds more than `limit` values, judging by its commas and opening brackets. For a text
 * that is not JSON: whether parsing could create that many.
 *
 * A value of two characters takes a hundred bytes once it is parsed and read. A text of 50 MB can thus fill a
 * heap of 4 GB and delay every other request by half a minute. Long strings are skipped natively and cost
 * only their length.
 */
export function hasManyValues(text: string, limit: number): boolean {
  // Every value has its own comma or bracket, so a text has fewer values than characters.
  return text.length > limit && countValues(text, limit) > limit;
}

/**
 * Counts the values of a JSON text like `hasManyValues`; stops after `limit`. Returns infinity for a text
 * with too many characters outside strings.
 */
export function countValues(text: string, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  let position = 0;
  // Moves on with every string, which limits the characters outside strings without counting them.
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

/** An escape of an ASCII character in JSON. */
const ESCAPE = /\\u00([0-7][0-9a-f])/gi;
const BACKSLASH = 0x5c;
/** The longest form of a character in JSON: `\u0041`. */
const LONGEST_CHAR = 6;

/**
 * Searches streamed JSON for a name in constant memory: the scan carries the last few bytes of a piece over
 * to the next. It resolves escapes; an escape of an escape gives a harmless false match.
 */
export class NameScan {
  readonly #name: string;
  #rest: Buffer = Buffer.alloc(0);
  #isFound = false;

  /** `name` consists of ASCII characters. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Whether the name occurred in the pieces so far. */
  get isFound(): boolean {
    return this.#isFound;
  }

  push(piece: Uint8Array): void {
    if (this.#isFound) return;
    const bytes = Buffer.concat([this.#rest, piece]);
    this.#isFound = bytes.includes(BACKSLASH)
      ? withoutEscapes(bytes.toString('latin1')).includes(this.#name)
      : bytes.includes(this.#name);
    // A copy, because a slice would keep the whole piece in memory.
    this.#rest = Buffer.from(bytes.subarray(-LONGEST_CHAR * this.#name.length));
  }
}

function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
