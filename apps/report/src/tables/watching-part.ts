import type { Distribution } from '../counting/distribution.ts';
import type { Rate } from '../counting/rate.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatInterval, formatShare } from '../text/format.ts';
import { printable } from '../text/printable.ts';
import type { Part, Table } from './part.ts';

/** What dark and shadow have seen. */
export function watchingPart({ watching }: Sections): Part {
  const part = { id: 'watching', title: 'Dark and shadow' } as const;
  if (watching.exchanges === 0) {
    return {
      ...part,
      sentences: ['No exchange of the arms dark or shadow: nothing was watched.'],
      tables: [],
    };
  }
  const tables = [
    statusTable(watching),
    missedTable(watching),
    mostMissedTable(watching),
    agreementTable(watching),
  ];
  return { ...part, sentences: [], tables: tables.filter((table) => table !== undefined) };
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  done: 'done',
  not_applicable: 'not applicable: nothing would have been deferred',
  dropped: 'dropped: too much waited',
  failed: 'failed: a defect',
  absent: 'no observation in the record',
};

function statusTable({ statuses, exchanges }: Sections['watching']): Table {
  return {
    title: 'Observations',
    columns: ['Status', 'Exchanges', 'Share'],
    rows: Object.entries(statuses).map(([status, count = 0]) => [
      STATUS_WORDS[status] ?? status,
      formatCount(count),
      formatShare(count / exchanges),
    ]),
  };
}

function missedTable({ missedExchanges, missedCalls }: Sections['watching']): Table | undefined {
  if (missedExchanges.whole === 0) return undefined;
  return {
    title: 'Would have missed: called by the model, not picked by the selector',
    columns: ['What', 'Missed', 'Of', 'Share', '95% interval'],
    rows: [
      rateRow('Exchanges with a call of a deferred tool', missedExchanges),
      rateRow('Calls of deferred tools', missedCalls),
    ],
    note: "Judged by one search for the user's last message. A model writes its own query and may search again, so this is the upper end of what would really be missed.",
  };
}

function rateRow(label: string, rate: Rate): string[] {
  return [
    label,
    formatCount(rate.part),
    formatCount(rate.whole),
    formatShare(rate.share ?? 0),
    formatInterval(rate),
  ];
}

function mostMissedTable({ mostMissed, areNamesExact }: Sections['watching']): Table | undefined {
  if (mostMissed.length === 0) return undefined;
  return {
    title: 'Tools most often missed',
    columns: ['Tool', 'Missed', 'Called', 'Share'],
    rows: mostMissed.map(({ name, missed, called }) => [
      printable(name),
      formatCount(missed),
      formatCount(called),
      called === 0 ? '' : formatShare(Math.min(1, missed / called)),
    ]),
    ...(!areNamesExact && {
      note: 'There were too many names to count them all: these counts may be too high.',
    }),
  };
}

function agreementTable({ overlap, jaccard, rankCorrelation }: Sections['watching']): Table | undefined {
  if (overlap.count === 0) return undefined;
  return {
    title: "The selector's picks against local relevance",
    columns: ['Measure', 'Exchanges', 'Mean', 'Low', 'Middle', 'High'],
    rows: [
      meanRow('Overlap', overlap),
      meanRow('Jaccard index', jaccard),
      meanRow('Rank correlation', rankCorrelation),
    ],
    note: 'Low, middle, high: shares of exchanges up to 0.3, up to 0.6 and above (rank correlation: up to -0.4, up to 0.2 and above). Two opinions, none of them the truth: low numbers say that the selector finds other tools, not that it finds worse ones.',
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
