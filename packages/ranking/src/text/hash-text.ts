/** Returns a hash of a part of a text, a signed number of 32 bits, without making a string of the part. */
export function hashText(text: string, start = 0, end = text.length): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
  return hash;
}

/** Returns the factor for {@link hashJoined} of a text with this length. */
export function hashFactor(length: number): number {
  let factor = 1;
  for (let at = 0; at < length; at++) factor = Math.imul(factor, BASE);
  return factor;
}

/** Returns the hash of two joined texts, from their hashes and the factor for the length of the second. */
export function hashJoined(first: number, second: number, factorOfSecond: number): number {
  return (Math.imul(first, factorOfSecond) + second) | 0;
}

const BASE = 31;
