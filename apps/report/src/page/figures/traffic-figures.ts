import { RolloutArm } from '@winnow/core';
import type { Timeline } from '../../sections/timeline.ts';
import type { Sections } from '../../sections.ts';
import type { Table } from '../../tables/part.ts';
import { formatCompact, formatCount, formatTime } from '../../text/format.ts';
import { columnsPlot } from '../chart.ts';
import { ARM_COLOURS } from '../colours.ts';
import type { Figure } from '../figure.ts';
import { describeSteps, joinTimeline, timeLabels } from '../time-axis.ts';

/** Minimum width of a distinguishable column, in pixels. */
const COLUMN_WIDTH = 5;

/** When the traffic came, by arm. */
export function trafficFigures({ timeline, traffic }: Sections): Figure[] {
  const arms = RolloutArm.options.filter((arm) => traffic.arms[arm] !== undefined);
  return [
    {
      title: 'Exchanges over time, by arm',
      description: `Exchanges ${describeSteps(timeline)}.`,
      legend: arms.map((arm) => ({ label: arm, colour: ARM_COLOURS[arm] })),
      draw: (size) => {
        const joined = joinTimeline(timeline, size.width / COLUMN_WIDTH);
        return columnsPlot({
          size,
          categories: timeLabels(joined),
          formatValue: formatCompact,
          isStacked: true,
          series: arms.map((arm) => ({
            colour: ARM_COLOURS[arm],
            values: joined.entries.map((entry) => entry.arms[arm]),
          })),
        });
      },
      table: trafficTable(timeline, arms),
    },
  ];
}

function trafficTable({ entries }: Timeline, arms: readonly RolloutArm[]): Table {
  return {
    title: 'Exchanges over time',
    columns: ['From', ...arms],
    rows: entries.map((entry) => [
      formatTime(entry.start),
      ...arms.map((arm) => formatCount(entry.arms[arm])),
    ]),
  };
}
