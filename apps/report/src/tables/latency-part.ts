import { RolloutArm } from '@winnow/core';
import type { ArmLatency } from '../sections/latency.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatMs } from '../text/format.ts';
import type { Part } from './part.ts';

/** The measures in words, in the order of the table and the plot. */
export const MEASURES: readonly { readonly key: keyof ArmLatency; readonly label: string }[] = [
  { key: 'added', label: 'added by Winnow' },
  { key: 'plan', label: 'of it: plan' },
  { key: 'session', label: 'of it: session store' },
  { key: 'search', label: 'of it: searches' },
  { key: 'hiddenRounds', label: 'hidden rounds' },
  { key: 'total', label: 'whole exchange' },
];

/** Returns the times that clients waited, by arm. */
export function latencyPart({ latency }: Sections): Part {
  const rows = RolloutArm.options.flatMap((arm) => {
    const measured = latency[arm];
    if (measured === undefined) return [];
    return (
      MEASURES.filter(({ key }) => measured[key].max > 0)
        // Arm off has no plan and no search: only the whole exchange is meaningful.
        .filter(({ key }) => arm !== 'off' || key === 'total')
        .map(({ key, label }) => {
          const { count, p50, p95, p99, max } = measured[key];
          return [arm, label, formatCount(count), ...[p50, p95, p99, max].map(formatMs)];
        })
    );
  });
  return {
    id: 'latency',
    title: 'Latency',
    sentences: [],
    tables: [
      {
        title: 'What clients waited for',
        columns: ['Arm', 'Time', 'Exchanges', 'p50', 'p95', 'p99', 'Longest'],
        textColumns: 2,
        rows,
        note: 'Searches: over exchanges with one. Hidden rounds: over exchanges with one; they are time of the upstream and not part of "added". Percentiles of parts do not add up.',
      },
    ],
  };
}
