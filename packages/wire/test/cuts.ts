import { inject } from 'vitest';

/** A prime, so that the places vary within the lines of a stream, however regular these are. */
const STRIDE = 397;

/**
 * Returns the places where a body is cut in two, from 1 to one before its end: all of them in the full run.
 * The sample has the critical ones (at line ends, after backslashes, within multi-byte characters), both
 * ends, and every 397th.
 */
export function cutsOf(bytes: Uint8Array): readonly number[] {
  const all = Array.from({ length: Math.max(0, bytes.length - 1) }, (_, index) => index + 1);
  if (inject('isExhaustive')) return all;
  return all.filter((at) => at % STRIDE === 0 || at < 3 || at > bytes.length - 3 || isTelling(bytes, at));
}

function isTelling(bytes: Uint8Array, at: number): boolean {
  const [before, behind] = [bytes[at - 1]!, bytes[at]!];
  return isLineEnd(before) || isLineEnd(behind) || before === BACKSLASH || isContinuation(behind);
}

const BACKSLASH = 0x5c;

function isLineEnd(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

/** Whether a byte of UTF-8 continues a character. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
