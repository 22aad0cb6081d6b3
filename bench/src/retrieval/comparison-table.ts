import { figure, type Table } from '../table.ts';
import { type Comparison, compareValues } from './compare-values.ts';
import type { Run } from './run.ts';

/** Returns a table of two runs: a row for each set, ranker and measure that both have. */
export function comparisonTable(before: Run, after: Run): Table {
  return {
    title: `Against the run of ${before.date}, query by query`,
    header: [
      'set',
      'ranker',
      'measure',
      'queries',
      'change',
      '95 % interval',
      'better',
      'worse',
      'equal',
      '',
    ],
    rows: comparisons(before, after).map(({ labels, comparison }) => [...labels, ...cells(comparison)]),
    labels: 3,
  };
}

function comparisons(before: Run, after: Run): { labels: string[]; comparison: Comparison }[] {
  return Object.entries(after.queries).flatMap(([set, rankers]) =>
    Object.entries(rankers).flatMap(([ranker, measures]) =>
      Object.entries(measures).flatMap(([measure, values]) => {
        const earlier = before.queries[set]?.[ranker]?.[measure];
        if (earlier === undefined) return [];
        return { labels: [set, ranker, measure], comparison: compareValues(earlier, values) };
      }),
    ),
  );
}

function cells({ queries, difference, low, high, better, worse, equal }: Comparison): string[] {
  const verdict = low > 0 ? 'better' : high < 0 ? 'worse' : '';
  return [
    String(queries),
    signed(difference),
    `${signed(low)} … ${signed(high)}`,
    String(better),
    String(worse),
    String(equal),
    verdict,
  ];
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${figure(value, 4)}`;
}
