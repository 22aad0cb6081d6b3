import { BM25_DEFAULTS, type Bm25Parameters, createBm25, type ToolDocument } from '@winnow/ranking';
import { hashedOrder } from '../hashed-order.ts';
import { mean } from '../summarize-times.ts';
import type { Table } from '../table.ts';
import { documentOf } from './measure-set.ts';
import { scoreRanking } from './metrics.ts';
import type { RetrievalSet } from './read-sets.ts';

type Change = Partial<Bm25Parameters>;

/** Values to try for each parameter that shapes the order, around the present ones. */
const TRIED: { readonly [Name in keyof Change]: readonly number[] } = {
  k1: [0.6, 1.2],
  b: [0.6, 0.9],
  matchedShare: [1, 3],
  matchedShareWords: [8, 20],
  nameCover: [0.3, 0.7],
  leadCover: [0.15, 0.45],
  leadCoverPrior: [0.1, 0.5],
  bestClause: [0.3, 0.9],
  synonym: [0.1, 0.4],
  kind: [0.25, 0.75],
  abbreviation: [0.5, 0.9],
  furtherTerm: [0, 0.6],
  compound: [0.5, 0.9],
  weakWord: [0.2, 0.6],
  relatedness: [0, 0.25, 0.75],
};

/** Points of NDCG@10 that a choice may cost in any set it is made on. */
const MOST_LOST = 1;

/** Points of NDCG@10 by set. */
type BySet = ReadonlyMap<string, number>;

/** NDCG@10 with a change of the parameters. */
export interface Trial {
  readonly change: Change;
  readonly ndcg10: BySet;
}

/**
 * Returns a table of the parameters that would be chosen without each set, and what they gain on it. At each
 * choice the two single changes that help the other sets most are taken, and both together if that helps more;
 * none of these sets may lose more than a point.
 */
export async function parametersLeftOut(
  sets: readonly RetrievalSet[],
  show: (line: string) => void,
): Promise<Table> {
  const measured = new Map<string, Trial>();
  const searched = sets.map((set) => ({ set, documents: hashedOrder(set.tools.map(documentOf)) }));
  const trialOf = async (change: Change): Promise<Trial> => {
    const key = textOf(change);
    const known = measured.get(key);
    if (known !== undefined) return known;
    show(`parameters: ${key}`);
    const trial = { change, ndcg10: await measureChange(searched, change) };
    measured.set(key, trial);
    return trial;
  };
  const today = await trialOf({});
  const singles: Trial[] = [];
  for (const [name, values] of Object.entries(TRIED))
    for (const value of values) singles.push(await trialOf({ [name]: value }));
  const rows: string[][] = [];
  for (const { name: left } of sets) {
    const [first, second] = bestWithout(left, singles, today);
    const both = first && second && (await trialOf({ ...first.change, ...second.change }));
    const trials = [first, both].filter((trial) => trial !== undefined);
    const chosen = bestWithout(left, trials, today)[0] ?? today;
    const gains = gainsOf(chosen, today);
    rows.push([left, textOf(chosen.change), points(meanWithout(left, gains)), points(gains.get(left)!)]);
  }
  return {
    title: 'Parameters chosen without the set: bm25',
    header: ['set', 'chosen', 'gain on the others, points of NDCG@10', 'gain on the set'],
    rows: [...rows, ['mean', '', '', points(mean(rows.map((row) => Number(row[3]))))]],
    labels: 2,
  };
}

/** Returns the trials that gain on all sets but one, and lose no more than a point on any of these, best first. */
export function bestWithout(left: string, trials: readonly Trial[], today: Trial): Trial[] {
  return trials
    .map((trial) => ({ trial, gains: gainsOf(trial, today) }))
    .filter(({ gains }) => [...gains].every(([set, gain]) => set === left || gain >= -MOST_LOST))
    .map(({ trial, gains }) => ({ trial, gain: meanWithout(left, gains) }))
    .filter(({ gain }) => gain > 0)
    .sort((one, other) => other.gain - one.gain)
    .map(({ trial }) => trial);
}

function gainsOf({ ndcg10 }: Trial, today: Trial): BySet {
  return new Map([...ndcg10].map(([set, value]) => [set, value - today.ndcg10.get(set)!]));
}

function meanWithout(left: string, gains: BySet): number {
  return mean([...gains].flatMap(([set, gain]) => (set === left ? [] : [gain])));
}

interface SearchedSet {
  readonly set: RetrievalSet;
  readonly documents: readonly ToolDocument[];
}

async function measureChange(searched: readonly SearchedSet[], change: Change): Promise<BySet> {
  const ranker = createBm25({ ...BM25_DEFAULTS, ...change });
  const ndcg10 = new Map<string, number>();
  for (const { set, documents } of searched) {
    const index = ranker.build(documents);
    const scores: number[] = [];
    for (const { text, gold } of set.queries) {
      const { hits } = await index.rank(text, { limit: 20 });
      const names = [...new Set(hits.map(({ position }) => documents[position]!.name))];
      scores.push(scoreRanking(names, gold).ndcg10);
    }
    ndcg10.set(set.name, 100 * mean(scores));
  }
  return ndcg10;
}

function textOf(change: Change): string {
  const parts = Object.entries(change).map(([name, value]) => `${name} ${value}`);
  return parts.length === 0 ? 'as today' : parts.join(', ');
}

function points(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(2)}`;
}
