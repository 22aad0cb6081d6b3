import { printable } from '@winnow/core';
import type { Distribution } from '../counting/distribution.ts';
import type { Rate } from '../counting/rate.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatShare } from '../text/format.ts';
import { countRows, rateRow } from './count-cells.ts';
import type { Part, Table } from './part.ts';

/** Returns the observations of the arms dark and shadow. */
export function watchingPart({ watching }: Sections): Part {
  const part = { id: 'watching', title: 'Dark and shadow' } as const;
  if (watching.exchanges === 0) {
    const sentences = ['No exchange belongs to the arms dark or shadow, so there are no observations.'];
    return { ...part, sentences, tables: [] };
  }
  const tables = [
    statusTable(watching),
    missedTable(watching),
    mostMissedTable(watching),
    agreementTable(watching),
  ];
  return { ...part, sentences: [], tables };
}

const STATUS_WORDS: Readonly<Record<keyof Sections['watching']['statuses'], string>> = {
  done: 'done',
  not_applicable: 'not applicable: nothing would have been deferred',
  dropped: 'dropped: too many waited',
  failed: 'failed: a defect',
  absent: 'no observation in the record',
};

function statusTable({ statuses, exchanges }: Sections['watching']): Table {
  return {
    title: 'Observations',
    columns: ['Status', 'Exchanges', 'Share'],
    rows: countRows(statuses, exchanges, STATUS_WORDS),
  };
}

function missedTable({ missedExchanges, missedCalls }: Sections['watching']): Table {
  const rates: readonly [string, Rate][] = [
    ['Exchanges with a call of a deferred tool', missedExchanges],
    ['Calls of deferred tools', missedCalls],
  ];
  return {
    title: 'Would have missed: called by the model, not picked by the selector',
    columns: ['What', 'Missed', 'Of', 'Share', '95% interval'],
    rows: rates.filter(([, { whole }]) => whole > 0).map(([label, rate]) => rateRow(label, rate)),
    note: "Judged by one search for the user's last message. A model writes its own query and may search again, so this is the upper end of what would really be missed.",
  };
}

function mostMissedTable({ mostMissed, areNamesExact }: Sections['watching']): Table {
  return {
    title: 'Tools most often missed',
    columns: ['Tool', 'Missed', 'Called', 'Share'],
    rows: mostMissed.map(({ name, missed, called }) => [
      printable(name),
      formatCount(missed),
      formatCount(called),
      called === 0 ? '' : formatShare(Math.min(1, missed / called)),
    ]),
    note: areNamesExact
      ? undefined
      : 'There were too many names to count them all: these counts may be too high.',
  };
}

function agreementTable({ overlap, jaccard, rankCorrelation }: Sections['watching']): Table {
  const rows = [
    meanRow('Overlap', overlap),
    meanRow('Jaccard index', jaccard),
    meanRow('Rank correlation', rankCorrelation),
  ];
  return {
    title: "The selector's picks against local relevance",
    columns: ['Measure', 'Exchanges', 'Mean', 'Low', 'Middle', 'High'],
    rows: overlap.count === 0 ? [] : rows,
    note: 'Low, middle, high: shares of exchanges up to 0.3, up to 0.6 and above (rank correlation: up to -0.4, up to 0.2 and above). Neither ranking is the truth: low numbers mean that the selector finds different tools, not worse ones.',
  };
}

/** The points that end the lower and the middle third of a distribution. */
const THIRDS = [4, 7] as const;

function meanRow(label: string, { count, mean, points }: Distribution): string[] {
  if (count === 0) return [label, '0', '', '', '', ''];
  const shareOf = (part: Distribution['points']) =>
    formatShare(part.reduce((sum, point) => sum + point.count, 0) / count);
  const thirds = [points.slice(0, THIRDS[0]), points.slice(...THIRDS), points.slice(THIRDS[1])];
  return [label, formatCount(count), mean.toFixed(2), ...thirds.map(shareOf)];
}
