import { printable } from '@winnow/core';
import type { Rate } from '../counting/rate.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatShare } from '../text/format.ts';
import type { Part, Table } from './cells.ts';
import { countRows, rateRow } from './cells.ts';

/** Returns the observations of the arms dark and shadow. */
export function watchingPart({ watching }: Sections): Part {
  const part = { id: 'watching', title: 'Dark and shadow' } as const;
  if (watching.exchanges === 0) {
    const sentences = ['No exchange belongs to the arms dark or shadow, so there are no observations.'];
    return { ...part, sentences, tables: [] };
  }
  const tables = [statusTable(watching), missedTable(watching), mostMissedTable(watching)];
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
