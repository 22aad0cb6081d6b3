import { DOT, MINUS, NINE, ZERO } from './json-bytes.ts';

/** Numbers of no more digits differ as doubles too, so that `String` has no shorter way to write one. */
const MAX_EXACT_DIGITS = 15;
/** `String` writes what is below 0.000001 with an exponent. */
const MAX_LEADING_ZEROS = 5;

/**
 * Whether a number of JSON is written just as `String` writes its value: up to 15 digits, no exponent, no 0 at the end of a fraction. False as
 * well for some others of which that is not known.
 */
export function isPlainNumber(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] === MINUS ? start + 1 : start;
  const behindWhole = skipDigits(bytes, first, end);
  // -0 is written as 0.
  if (behindWhole === end)
    return end - first <= MAX_EXACT_DIGITS && (first === start || bytes[first] !== ZERO);
  const fraction = behindWhole + 1;
  if (bytes[behindWhole] !== DOT || skipDigits(bytes, fraction, end) !== end) return false;
  if (end - first - 1 > MAX_EXACT_DIGITS || bytes[end - 1] === ZERO) return false;
  return bytes[first] !== ZERO || skipZeros(bytes, fraction, end) - fraction <= MAX_LEADING_ZEROS;
}

function skipDigits(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
  return at;
}

function skipZeros(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] === ZERO) at++;
  return at;
}
