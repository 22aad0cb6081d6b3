import type { NearestSearch } from '@winnow/ranking';
import type { Mark } from '../marks.ts';
import { WITH_MEANING } from '../rankers/meaning-ranker.ts';
import { mean } from '../summarize-times.ts';
import { figure } from '../table.ts';
import { checkExactNames } from './check-exact-names.ts';
import { FIRST_SETS } from './marks.ts';
import type { SetRow } from './measure-set.ts';
import type { RetrievalSet } from './read-sets.ts';
import type { BySetAndRanker } from './run.ts';

/** NDCG@10 over the six sets. */
const MEAN = 0.78;
/** CPU of a search over 2,000 tools, in milliseconds. */
const SEARCH_MS = 15;

/** Returns the requirements for Winnow's ranker with meaning. Empty if the run does not include it. */
export async function meaningMarks(
  rows: BySetAndRanker<SetRow>,
  sets: readonly RetrievalSet[],
  searchMs: number | undefined,
): Promise<Mark[]> {
  const of = (ranker: string, measure: string) => {
    const values = FIRST_SETS.flatMap((set) => rows[set]?.[ranker]?.[measure] ?? []);
    return values.length < FIRST_SETS.length ? undefined : mean(values);
  };
  const [meant, misspelt] = [of(WITH_MEANING, 'ndcg10'), of(WITH_MEANING, 'misspelt_ndcg10')];
  const byWords = of('bm25', 'misspelt_ndcg10');
  const marks: Mark[] = [];
  if (meant !== undefined)
    marks.push({
      what: 'with meaning: mean NDCG@10 over the six sets',
      mark: `at least ${MEAN}`,
      measured: figure(meant),
      isMet: meant >= MEAN,
    });
  if (misspelt !== undefined && byWords !== undefined)
    marks.push({
      what: 'with meaning: mean NDCG@10 over the six sets, misspelt',
      mark: `not under ${figure(byWords)}, that of words alone`,
      measured: figure(misspelt),
      isMet: misspelt >= byWords,
    });
  if (meant !== undefined) marks.push(await exactNameMark(sets));
  if (searchMs !== undefined)
    marks.push({
      what: 'with meaning: CPU of a whole search over 2,000 tools, p50',
      mark: `at most ${SEARCH_MS} ms`,
      measured: `${searchMs.toFixed(1)} ms`,
      isMet: searchMs <= SEARCH_MS,
    });
  return marks;
}

async function exactNameMark(sets: readonly RetrievalSet[]): Promise<Mark> {
  const { asked, missed } = await checkExactNames(sets, ARBITRARY);
  return {
    what: 'with meaning, whatever its vectors say: a tool asked for by its exact name',
    mark: 'found first, always',
    measured: `${asked - missed.length} of ${asked}`,
    isMet: missed.length === 0,
  };
}

/** An adversarial embedder: the first tool by words is the farthest, and others are the nearest. */
const ARBITRARY = {
  vectorsOf: async (_query: string, positions: readonly number[]) => ({
    query: Int8Array.of(127, 0),
    tools: positions.map((_, place) => Int8Array.of(place === 0 ? -127 : 127, place)),
  }),
  nearest: async (_query: string, { most, has }: NearestSearch) =>
    Array.from({ length: most }, (_, position) => ({ position, cosine: 1 })).filter(({ position }) =>
      has(position),
    ),
};
