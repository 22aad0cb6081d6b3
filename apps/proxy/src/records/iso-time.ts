/** The second formatted last, and its text up to the milliseconds. */
let second = Number.NaN;
let written = '';

/**
 * Formats a time in milliseconds since the epoch as ISO 8601, exactly like `Date`. Throws a RangeError for an
 * invalid time.
 *
 * Every record has its time, and thousands of records come per second: everything except the milliseconds is
 * formatted once a second.
 */
export function isoTime(timeMs: number): string {
  const wholeMs = Math.trunc(timeMs);
  const ofSecond = Math.floor(wholeMs / 1_000);
  if (ofSecond !== second) {
    written = new Date(ofSecond * 1_000).toISOString().slice(0, -'000Z'.length);
    second = ofSecond;
  }
  return `${written}${String(wholeMs - ofSecond * 1_000).padStart(3, '0')}Z`;
}
