import { isLastTools } from './find-tools.ts';

const EMPTY_ARRAY = Buffer.from('[]');

/**
 * A body with `[]` in the place of its tools, or undefined when they are not the value that a parser would give.
 *
 * `head` is what stands before the array of tools and `tail` what stands behind it. The result is JSON exactly when the body is,
 * provided that the array is.
 */
export function envelopeOf(head: Buffer, tail: Buffer): Buffer | undefined {
  return isLastTools(tail) ? Buffer.concat([head, EMPTY_ARRAY, tail]) : undefined;
}
