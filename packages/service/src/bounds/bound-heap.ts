import { collectBeyond } from './collect-beyond.ts';
import { MOST_COLLECTED_BYTES } from './heap-pressure.ts';
import { slowGrowth } from './slow-growth.ts';

/**
 * Keeps the garbage of V8's heap, and the buffers behind it, in proportion to what lives: what piles up slowly, and what piles up fast once both take more than `boundBytes` together.
 * Gives the way to end that. V8 itself goes by the memory of the machine, and a process that gets what others send it then takes several times what it holds. No limit is set: who holds
 * more gets more.
 */
export function boundHeap(boundBytes: number): () => void {
  const stopMarking = slowGrowth();
  // Nothing is ever collected beyond such a bound.
  const stopCollecting = boundBytes < MOST_COLLECTED_BYTES ? collectBeyond(boundBytes) : () => {};
  return () => {
    stopMarking();
    stopCollecting();
  };
}
