/**
 * Reserves memory for characters of a response until its exchange is over; returns false when there is none.
 * Reserved memory is never released.
 */
export type Keep = (chars: number) => boolean;

/** Returns a function that reserves up to a number of characters. */
export function keepUpTo(limitChars: number): Keep {
  let left = limitChars;
  return (chars) => {
    left -= chars;
    return left >= 0;
  };
}
