/** The second that was written last, and its time up to the milliseconds. */
let second = Number.NaN;
let written = '';

/**
 * A time in milliseconds since the epoch as ISO 8601, the same as `Date` writes it. Throws a RangeError for what is no time.
 *
 * Every record has its time, and records come by the thousand in a second: all but the milliseconds is made once for each second.
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
