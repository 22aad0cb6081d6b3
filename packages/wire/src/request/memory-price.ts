import { countValues } from '../json/has-many-values.ts';

/**
 * The memory of a parsed JSON value without its text, in bytes. Measured with Node 24: 8 to 56 bytes, 22 in
 * lists of tools, and 90 only if each value has a long unique key, whose text is counted separately.
 */
const VALUE_BYTES = 64;

/**
 * The longest text whose values are not counted: even the densest values take only sixteen times its length.
 */
const SMALL_CHARS = 32 * 1024;
const SMALL_VALUE_BYTES = 8;

/** Returns the memory of a body's text and of its edited bytes, for a body of this length in bytes. */
export function textBytes(length: number): number {
  return 2 * length;
}

/**
 * Returns the memory that parsing a text adds, in bytes. `length` is the text's length in bytes. A text with
 * characters other than ASCII may take two bytes per character, and so may its parsed strings.
 */
export function parsedBytes(text: string, length: number): number {
  const width = text.length === length ? 1 : 2;
  const texts = (width - 1) * text.length + width * text.length;
  return texts + valueBytes(text);
}

function valueBytes(text: string): number {
  return text.length <= SMALL_CHARS ? SMALL_VALUE_BYTES * text.length : VALUE_BYTES * countValues(text);
}
