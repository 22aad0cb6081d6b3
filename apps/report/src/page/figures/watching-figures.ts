import { printable } from '@winnow/core';
import type { Distribution } from '../../counting/distribution.ts';
import { type Rate, rateOf } from '../../counting/rate.ts';
import type { Timeline } from '../../sections/timeline.ts';
import type { Sections } from '../../sections.ts';
import {
  formatCompact,
  formatCount,
  formatLimit,
  formatRate,
  formatShare,
  formatTime,
} from '../../text/format.ts';
import { THRESHOLDS } from '../../thresholds.ts';
import { barsPlot, columnsPlot } from '../chart.ts';
import { COLOURS } from '../colours.ts';
import type { Figure } from '../figure.ts';
import { describeSteps, joinTimeline, timeLabels } from '../time-axis.ts';

/** Returns the observations of the arms dark and shadow. */
export function watchingFigures({ watching, timeline }: Sections): Figure[] {
  const { overlap, jaccard, rankCorrelation, missedExchanges, mostMissed } = watching;
  return [
    ...(missedExchanges.whole > 0 ? [missedFigure(timeline)] : []),
    ...(mostMissed.length > 0 ? [mostMissedFigure(watching)] : []),
    ...(overlap.count > 0 ? [agreementFigure(overlap, jaccard)] : []),
    ...(rankCorrelation.count > 0 ? [correlationFigure(rankCorrelation)] : []),
  ];
}

/** Few, so that each holds enough exchanges to say something. */
const MOST_COLUMNS = 16;

function missedFigure(timeline: Timeline): Figure {
  const joined = joinTimeline(timeline, MOST_COLUMNS);
  const rates = joined.entries.map(({ judged, missed }) => rateOf(missed, judged));
  return {
    title: 'Would have missed a tool, over time',
    description: `Share of the exchanges with a call of a deferred tool, ${describeSteps(joined)}. Whiskers: 95% confidence interval. Dashed: the limit of ${formatLimit(THRESHOLDS.missedShare)}.`,
    legend: [{ label: 'exchanges that would have missed', colour: COLOURS.bad }],
    draw: (size) =>
      columnsPlot({
        size,
        categories: timeLabels(joined),
        formatValue: formatLimit,
        series: [{ colour: COLOURS.bad, values: rates.map(({ share }) => share) }],
        whiskers: rates.map(({ interval }) => interval && [interval.low, interval.high]),
        limit: THRESHOLDS.missedShare,
        highest: highestOf(rates),
      }),
    table: {
      title: 'Exchanges that would have missed a tool, over time',
      columns: ['From', 'Missed'],
      rows: joined.entries.map(({ start }, index) => [formatTime(start), formatRate(rates[index]!)]),
    },
  };
}

/** Columns of few exchanges have whiskers up to anywhere: those may leave the plot. */
const FEW = 20;

/** Returns the upper end of the plot: above all meaningful whiskers, in steps of five percent. */
function highestOf(rates: readonly Rate[]): number {
  const ends = rates.filter(({ whole }) => whole >= FEW).map(({ interval }) => interval?.high ?? 0);
  const shares = rates.map(({ share = 0 }) => share);
  const highest = Math.max(THRESHOLDS.missedShare * 1.5, ...ends, ...shares);
  return Math.min(1, Math.ceil(highest * 20) / 20);
}

/** More names than this are left to the table. */
const MOST_NAMES = 10;

function mostMissedFigure({ mostMissed }: Sections['watching']): Figure {
  const tools = mostMissed.slice(0, MOST_NAMES);
  return {
    title: 'Tools most often missed',
    description: 'Calls of each tool, and those for which the selector had not picked it.',
    legend: [
      { label: 'called', colour: 'var(--faint)' },
      { label: 'missed', colour: COLOURS.bad },
    ],
    rowCount: tools.length,
    draw: (size) =>
      barsPlot({
        size,
        categories: tools.map(({ name }) => printable(name)),
        isOverlaid: true,
        series: [
          {
            colour: 'var(--faint)',
            values: tools.map(({ called, missed }) => Math.max(called, missed)),
            labels: tools.map(({ called, missed }) => `${formatCount(missed)} of ${formatCount(called)}`),
          },
          { colour: COLOURS.bad, values: tools.map(({ missed }) => missed), labels: [] },
        ],
      }),
  };
}

function agreementFigure(overlap: Distribution, jaccard: Distribution): Figure {
  return {
    title: "The selector's picks against local relevance",
    description: `Exchanges by agreement: 0 is nothing in common, 1 the same picks. Mean overlap ${overlap.mean.toFixed(2)}, mean Jaccard index ${jaccard.mean.toFixed(2)}.`,
    legend: [
      { label: 'overlap', colour: COLOURS.second },
      { label: 'Jaccard index', colour: COLOURS.third },
    ],
    draw: drawDistributions([
      [COLOURS.second, overlap],
      [COLOURS.third, jaccard],
    ]),
    table: {
      title: 'Agreement, to the nearest tenth',
      columns: ['Agreement', 'Overlap', 'Jaccard'],
      rows: overlap.points.map(({ value, count }, index) => [
        value.toFixed(1),
        formatCount(count),
        formatCount(jaccard.points[index]?.count ?? 0),
      ]),
    },
  };
}

function correlationFigure(correlation: Distribution): Figure {
  return {
    title: 'Rank correlation of picks in both',
    description: `Kendall's tau: 1 is the same order, -1 the opposite one. Mean ${correlation.mean.toFixed(2)}, over ${formatCount(correlation.count)} exchanges with at least two picks in both.`,
    legend: [],
    draw: drawDistributions([[COLOURS.second, correlation]]),
    table: {
      title: 'Rank correlation, to the nearest fifth',
      columns: ['Tau', 'Exchanges', 'Share'],
      rows: correlation.points.map(({ value, count }) => [
        value.toFixed(1),
        formatCount(count),
        formatShare(count / correlation.count),
      ]),
    },
  };
}

/** Returns a drawing of distributions over the same points as columns. */
function drawDistributions(parts: readonly (readonly [colour: string, Distribution])[]): Figure['draw'] {
  const values = ({ points }: Distribution) => points.map(({ count }) => count);
  const categories = parts[0]![1].points.map(({ value }) => value.toFixed(1));
  const series = parts.map(([colour, distribution]) => ({ colour, values: values(distribution) }));
  return (size) => columnsPlot({ size, categories, formatValue: formatCompact, series });
}
