import { inject } from 'vitest';

/** Prime, so that the places drift through the lines of a stream, however regular these are. */
const STRIDE = 97;

/**
 * The places where a body is cut in two, from 1 to one before its end: all of them where everything is tried. The sample has those that
 * framings take for something (at line ends, behind backslashes, within characters of several bytes), both ends, and every 97th.
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

/** Whether a byte of UTF-8 goes on with a character. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
