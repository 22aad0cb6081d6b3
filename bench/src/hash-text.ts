import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a text in hexadecimal: an order that is independent of the content. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns a 32-bit seed for a random generator, derived from the text alone. */
export function seedOf(text: string): number {
  return Number.parseInt(hashText(text).slice(0, 8), 16);
}
