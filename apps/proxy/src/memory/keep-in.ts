import type { Keep } from '@winnow/wire';
import type { MemoryHold } from './request-memory.ts';

/** Memory is taken in steps of this size, as responses arrive in thousands of small pieces. */
const STEP_BYTES = 16 * 1024;
/** Maximum size of a character, in bytes. */
const CHAR_BYTES = 2;

/** Returns a function that reserves memory for buffered response text until the exchange ends. */
export function keepIn(hold: MemoryHold): Keep {
  let left = 0;
  return (chars) => {
    const bytes = CHAR_BYTES * chars;
    if (bytes > left) {
      const step = Math.max(bytes, STEP_BYTES);
      if (!hold.take(step)) return false;
      left += step;
    }
    left -= bytes;
    return true;
  };
}
