import { isLastTools } from './find-tools.ts';

const EMPTY_ARRAY = Buffer.from('[]');

/**
 * Returns a body with `[]` in place of its tools, or undefined if a parser would take another value.
 *
 * `head` is the part before the array of tools, and `tail` the part after it. The result is valid JSON
 * exactly if the body is, provided that the array is.
 */
export function envelopeOf(head: Buffer, tail: Buffer): Buffer | undefined {
  return isLastTools(tail) ? Buffer.concat([head, EMPTY_ARRAY, tail]) : undefined;
}
