import type { Ranker } from '@winnow/ranking';
import { measureSet, type SetMeasurement } from './measure-set.ts';
import type { RetrievalSet } from './read-sets.ts';

/** Measures every ranker on every set, one after another; calls `report` after each. */
export async function measureSets(
  sets: readonly RetrievalSet[],
  rankers: readonly Ranker[],
  misspelt: boolean,
  report: (line: string) => void,
): Promise<Record<string, Record<string, SetMeasurement>>> {
  const measurements: Record<string, Record<string, SetMeasurement>> = {};
  for (const set of sets) {
    const ofSet: Record<string, SetMeasurement> = {};
    for (const ranker of rankers) {
      const startedAt = performance.now();
      ofSet[ranker.name] = await measureSet(ranker, set, misspelt);
      report(`${set.name} ${ranker.name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    }
    measurements[set.name] = ofSet;
  }
  return measurements;
}
