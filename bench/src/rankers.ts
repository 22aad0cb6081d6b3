import { bm25, type Ranker, wink } from '@winnow/ranking';
import { InputError } from './input-error.ts';
import { minisearch } from './rankers/minisearch.ts';
import { winkHelper } from './rankers/wink-helper.ts';

/** All rankers to measure: Winnow's first, then the references. */
export const MEASURED_RANKERS: readonly Ranker[] = [bm25, wink, winkHelper, minisearch];

/**
 * Returns the rankers with these names, in that order; all of them by default.
 *
 * @throws InputError for an unknown name.
 */
export function chooseRankers(names?: readonly string[]): readonly Ranker[] {
  if (names === undefined) return MEASURED_RANKERS;
  return names.map((name) => {
    const ranker = MEASURED_RANKERS.find((candidate) => candidate.name === name);
    if (ranker) return ranker;
    const known = MEASURED_RANKERS.map((candidate) => candidate.name).join(', ');
    throw new InputError(`no ranker "${name}"; there are: ${known}`);
  });
}
