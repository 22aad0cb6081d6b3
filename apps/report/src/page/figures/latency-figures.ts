import { RolloutArm } from '@winnow/core';
import type { Spread } from '../../counting/spread.ts';
import type { Sections } from '../../sections.ts';
import { MEASURES } from '../../tables/latency-part.ts';
import { formatMs } from '../../text/format.ts';
import { type RangeRow, rangesPlot } from '../chart.ts';
import { COLOURS } from '../colours.ts';
import type { Figure } from '../figure.ts';

/** Percentiles of arm full by part, and of the added time in every arm. */
export function latencyFigures({ latency }: Sections): Figure[] {
  const added = RolloutArm.options.flatMap((arm) => {
    const spread = latency[arm]?.added;
    return arm === 'off' || spread === undefined ? [] : rowsOf(arm, spread);
  });
  const { full } = latency;
  const parts = full === undefined ? [] : MEASURES.flatMap(({ key, label }) => rowsOf(label, full[key]));
  return [...figureOf('Added latency by arm', added), ...figureOf('Where the time goes, arm full', parts)];
}

function figureOf(title: string, rows: readonly RangeRow[]): Figure[] {
  if (rows.length === 0) return [];
  return [
    {
      title,
      description:
        'Median, 95th and 99th percentile, the last one in figures. The scale is logarithmic: each line is ten times the one before.',
      legend: [
        { label: 'p50', colour: COLOURS.main },
        { label: 'p95', colour: COLOURS.second },
        { label: 'p99', colour: COLOURS.third },
      ],
      rowCount: rows.length,
      draw: (size) => rangesPlot({ size, rows, formatValue: formatTick, isLogarithmic: true }),
    },
  ];
}

/** The smallest distinguishable step: a logarithmic scale has no 0. */
const SMALLEST_MS = 0.001;

function rowsOf(label: string, { count, p50, p95, p99 }: Spread): RangeRow[] {
  if (count === 0 || p99 === 0) return [];
  const point = (value: number, colour: string) => ({ value: Math.max(SMALLEST_MS, value), colour });
  const points = [point(p50, COLOURS.main), point(p95, COLOURS.second), point(p99, COLOURS.third)];
  return [{ label, points, text: formatMs(p99) }];
}

/** `0.01 ms`, `10 ms`, `1 s`: powers of ten need no more digits. */
function formatTick(ms: number): string {
  return ms >= 1_000 ? `${ms / 1_000} s` : `${Number(ms.toPrecision(1))} ms`;
}
