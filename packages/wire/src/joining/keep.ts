/**
 * Asked before so many characters of a response are kept until its exchange is over; false where there is no memory for them. What was asked for is
 * never given back.
 */
export type Keep = (chars: number) => boolean;

/** Keeps up to so many characters. */
export function keepUpTo(limitChars: number): Keep {
  let left = limitChars;
  return (chars) => {
    left -= chars;
    return left >= 0;
  };
}
