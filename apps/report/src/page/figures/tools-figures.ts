import type { Timeline, TimelineEntry } from '../../sections/timeline.ts';
import type { ToolUse } from '../../sections/tools.ts';
import type { Sections } from '../../sections.ts';
import { formatCompact, formatCount, formatTime } from '../../text/format.ts';
import { columnsPlot, linesPlot } from '../chart.ts';
import { COLOURS } from '../colours.ts';
import type { Figure } from '../figure.ts';
import { describeSteps, timeLabels } from '../time-axis.ts';

/** Returns the tokens of tools over time, and the number of tools. */
export function toolsFigures({ timeline, tools }: Sections): Figure[] {
  const figures: Figure[] = [];
  if (tools.changed.tokens.before > 0) figures.push(tokensFigure(timeline, CHANGED));
  if (tools.watched.tokens.before > 0) figures.push(tokensFigure(timeline, WATCHED));
  if (tools.changed.exchanges + tools.watched.exchanges > 0) figures.push(sizesFigure(tools));
  return figures;
}

interface TokenKind {
  readonly title: string;
  readonly after: string;
  readonly read: (entry: TimelineEntry) => { before: number; after: number };
}

const CHANGED: TokenKind = {
  title: 'Tokens of tools over time, arm full',
  after: 'after, searches included',
  read: ({ tokensBefore: before, tokensAfter: after }) => ({ before, after }),
};

const WATCHED: TokenKind = {
  title: 'Tokens of tools over time, watched exchanges',
  after: 'after, as it would have been',
  read: ({ watchedTokensBefore: before, watchedTokensAfter: after }) => ({ before, after }),
};

function tokensFigure(timeline: Timeline, { title, after, read }: TokenKind): Figure {
  const values = timeline.entries.map(read);
  return {
    title,
    description: `Estimated tokens ${describeSteps(timeline)}. The gap between the lines is the saving. The first and the last step may be incomplete.`,
    legend: [
      { label: 'before', colour: COLOURS.calm },
      { label: after, colour: COLOURS.main },
    ],
    draw: (size) =>
      linesPlot({
        size,
        categories: timeLabels(timeline),
        formatValue: formatCompact,
        series: [
          { colour: COLOURS.calm, values: values.map((value) => value.before) },
          { colour: COLOURS.main, values: values.map((value) => value.after) },
        ],
      }),
    table: {
      title: 'Tokens of tools over time',
      columns: ['From', 'Before', 'After'],
      rows: timeline.entries.map((entry) => {
        const value = read(entry);
        return [formatTime(entry.start), formatCount(value.before), formatCount(value.after)];
      }),
    },
  };
}

function sizesFigure({ changed, watched }: Sections['tools']): Figure {
  const groups = [
    { label: 'arm full', colour: COLOURS.main, use: changed },
    { label: 'watched', colour: COLOURS.warm, use: watched },
  ].filter(({ use }) => use.exchanges > 0);
  // Empty classes at either end would be an empty part of the plot.
  const isUsed = changed.sizes.map((_, index) =>
    groups.some(({ use }) => (use.sizes[index]?.count ?? 0) > 0),
  );
  const [first, end] = [isUsed.indexOf(true), isUsed.lastIndexOf(true) + 1];
  const labels = changed.sizes.slice(first, end).map(({ label }) => label);
  const countsOf = (use: ToolUse) => use.sizes.slice(first, end).map(({ count }) => count);
  return {
    title: 'Tools per request',
    description: 'Exchanges by number of tools.',
    legend: groups,
    draw: (size) =>
      columnsPlot({
        size,
        categories: labels,
        formatValue: formatCompact,
        series: groups.map(({ colour, use }) => ({
          colour,
          values: countsOf(use),
        })),
      }),
    table: {
      title: 'Exchanges by their number of tools',
      columns: ['Tools', ...groups.map(({ label }) => label)],
      rows: labels.map((label, index) => [
        label,
        ...groups.map(({ use }) => formatCount(countsOf(use)[index] ?? 0)),
      ]),
    },
  };
}
