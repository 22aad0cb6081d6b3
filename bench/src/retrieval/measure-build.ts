import type { Ranker, ToolDocument } from '@winnow/ranking';
import { median } from '../summarize-times.ts';

const ROUNDS = 5;
/** Time beyond which a build is not repeated. */
const ENOUGH_MS = 1_500;

/**
 * Returns the milliseconds to build an index, the median of a few rounds; `undefined` if the ranker cannot
 * build this one.
 */
export function measureBuild(ranker: Ranker, documents: readonly ToolDocument[]): number | undefined {
  const times: number[] = [];
  let total = 0;
  while (times.length < ROUNDS && total < ENOUGH_MS) {
    const startedAt = performance.now();
    try {
      ranker.build(documents);
    } catch {
      return undefined;
    }
    times.push(performance.now() - startedAt);
    total += times.at(-1) ?? 0;
  }
  return median(times);
}
