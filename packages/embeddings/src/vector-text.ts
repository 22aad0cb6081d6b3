import type { Int8Vector } from '@winnow/ranking';

/** A vector with the key of its text. */
export type VectorEntry = readonly [key: string, vector: Int8Vector];

/** Maximum length of an entry: a key, a space, and 8,192 bytes in base64. */
export const MAX_VECTOR_TEXT = 32 + 1 + 4 * Math.ceil(8_192 / 3);

/** Formats an entry as one line: the key, and the vector's bytes in base64. */
export function toVectorText([key, vector]: VectorEntry): string {
  return `${key} ${Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')}`;
}

/** Parses an entry; undefined for anything but a valid result of `toVectorText`. */
export function fromVectorText(text: string): VectorEntry | undefined {
  if (text.length > MAX_VECTOR_TEXT) return undefined;
  const [, key, base64] = /^([0-9a-f]{32}) ([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (key === undefined || base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  const vector = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).slice();
  return isInt8Vector(vector) ? [key, vector] : undefined;
}

/** Whether the vector has a component of 127 or -127, as every `Int8Vector` does; so none is zero. */
function isInt8Vector(vector: Int8Array): boolean {
  let largest = 0;
  for (const component of vector) largest = Math.max(largest, Math.abs(component));
  return largest === 127;
}
