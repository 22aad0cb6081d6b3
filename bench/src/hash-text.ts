import { createHash } from 'node:crypto';

/** The SHA-256 of a text in hexadecimal: an order that has nothing to do with what the text says. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A seed for a random generator, 32 bits, that the text alone decides. */
export function seedOf(text: string): number {
  return Number.parseInt(hashText(text).slice(0, 8), 16);
}
