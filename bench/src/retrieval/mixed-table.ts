import type { Mark } from '../marks.ts';
import { WITH_MEANING } from '../rankers/meaning-ranker.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { type Comparison, compareValues } from './compare-values.ts';
import type { ValueById } from './measure-queries.ts';
import { mixtureOf } from './mix-sets.ts';
import type { BySetAndRanker } from './run.ts';

/** Winnow's ranker against the reference on all samples of one size, query by query. */
export interface MixtureComparison {
  /** `500`, `2000` or `all` tools. */
  readonly size: string;
  readonly measure: string;
  readonly ranker: string;
  readonly ours: number;
  readonly yardstick: number;
  readonly comparison: Comparison;
}

const YARDSTICK = 'wink';

/** The results that an agent sees first, and their order. */
const MEASURES = [
  ['hit5', 'Hit@5'],
  ['recall5', 'R@5'],
  ['ndcg10', 'NDCG@10'],
] as const;

/** Minimum lead of Winnow's rankers over the reference. */
const LEADS: Readonly<Record<string, number>> = { bm25: 0.02, [WITH_MEANING]: 0.05 };

/**
 * Returns the comparisons for every size and ranker of Winnow that was measured together with the reference.
 */
export function compareMixtures(
  queries: BySetAndRanker<Readonly<Record<string, ValueById>>>,
): MixtureComparison[] {
  const sets = Object.keys(queries).filter((set) => mixtureOf(set) !== undefined);
  const bySize = Map.groupBy(sets, (set) => mixtureOf(set)!);
  return Object.keys(LEADS).flatMap((ranker) =>
    [...bySize].flatMap(([size, samples]) =>
      MEASURES.flatMap(([measure]) => {
        const of = (one: string) => pool(samples, (set) => queries[set]?.[one]?.[measure]);
        const [ours, yardstick] = [of(ranker), of(YARDSTICK)];
        if (Object.keys(ours).length === 0 || Object.keys(yardstick).length === 0) return [];
        return {
          size,
          measure,
          ranker,
          ours: mean(Object.values(ours)),
          yardstick: mean(Object.values(yardstick)),
          comparison: compareValues(yardstick, ours),
        };
      }),
    ),
  );
}

/** A query that belongs to two samples counts twice. */
function pool(samples: readonly string[], valuesOf: (set: string) => ValueById | undefined): ValueById {
  return Object.fromEntries(
    samples.flatMap((set) =>
      Object.entries(valuesOf(set) ?? {}).map(([id, value]) => [`${set} ${id}`, value] as const),
    ),
  );
}

/** Returns a table with a row for each size and measure. */
export function mixedTable(mixtures: readonly MixtureComparison[]): Table {
  return {
    title: `Mixed catalogues: ours against ${YARDSTICK}, query by query`,
    header: ['tools', 'measure', 'ranker', 'queries', 'its', YARDSTICK, 'ahead by', '95 % interval'],
    rows: mixtures.map(({ size, measure, ranker, ours, yardstick, comparison }) => [
      size,
      titleOf(measure),
      ranker,
      String(comparison.queries),
      figure(ours),
      figure(yardstick),
      signed(comparison.difference),
      `${signed(comparison.low)} … ${signed(comparison.high)}`,
    ]),
    labels: 3,
  };
}

/** Returns the requirements: a significant lead of two points at every size, with meaning of five. */
export function mixedMarks(mixtures: readonly MixtureComparison[]): Mark[] {
  return mixtures
    .filter(({ measure }) => measure !== 'recall5')
    .map(({ size, measure, ranker, comparison: { difference, low } }) => ({
      what: `${ranker === WITH_MEANING ? 'with meaning: ' : ''}mixed catalogue, ${size} tools: ${titleOf(measure)} ahead of ${YARDSTICK} on the same tokens`,
      mark: `at least ${LEADS[ranker]}, interval above 0`,
      measured: `${signed(difference)}, from ${signed(low)}`,
      isMet: difference >= LEADS[ranker]! && low > 0,
    }));
}

function titleOf(measure: string): string {
  return MEASURES.find(([name]) => name === measure)?.[1] ?? measure;
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${figure(value)}`;
}
