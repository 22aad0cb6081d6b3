import { countValues } from '../json/has-many-values.ts';

/**
 * What a JSON value takes once it is parsed, in bytes, its text left out. Measured with Node 24: 8 to 56, 22 in lists of tools, and 90 only where each has
 * a long key that no other has, whose text is counted apart.
 */
const VALUE_BYTES = 64;

/** Texts up to this length are not looked through: the values of one that is as full as can be take sixteen times its length. */
const SMALL_CHARS = 32 * 1024;
const SMALL_VALUE_BYTES = 8;

/** What the text of a body of so many bytes takes, and the same body once it is edited, in bytes. Both are as long as the body. */
export function textBytes(length: number): number {
  return 2 * length;
}

/** What parsing a text of so many bytes adds, in bytes. One that has other characters than ASCII may take two bytes for each, and so may what is made of it. */
export function parsedBytes(text: string, length: number): number {
  const width = text.length === length ? 1 : 2;
  const texts = (width - 1) * text.length + width * text.length;
  return texts + valueBytes(text);
}

function valueBytes(text: string): number {
  return text.length <= SMALL_CHARS ? SMALL_VALUE_BYTES * text.length : VALUE_BYTES * countValues(text);
}
