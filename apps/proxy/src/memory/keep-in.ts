import type { Keep } from '@winnow/wire';
import type { MemoryHold } from './request-memory.ts';

/** Memory is taken in pieces of so many bytes: responses come in thousands of small ones. */
const STEP_BYTES = 16 * 1024;
/** Most bytes of a character. */
const CHAR_BYTES = 2;

/** Takes memory for what is kept of responses until the exchange is over. */
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
