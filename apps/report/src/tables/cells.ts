import { printable } from '@winnow/core';
import type { Part, Table } from '@winnow/service';
import type { Rate } from '../counting/rate.ts';
import type { Counts } from '../counting/tallies.ts';
import type { Names } from '../counting/top-names.ts';
import { formatCount, formatInterval, formatShare } from '../text/format.ts';

export type { Part, Table };

/** Returns rows of a label, a count, and its share of `total`; labels are the keys, or their words. */
export function countRows<Key extends string>(
  counts: Counts<Key>,
  total: number,
  words?: Readonly<Partial<Record<Key, string>>>,
): string[][] {
  return Object.entries<number | undefined>(counts).map(([key, count = 0]) => [
    words?.[key as Key] ?? key,
    formatCount(count),
    formatShare(count / total),
  ]);
}

/** Returns rows of a name, its count, and its share of all names. */
export function nameRows({ top, total }: Names): string[][] {
  return top.map(({ name, count }) => [printable(name), formatCount(count), formatShare(count / total)]);
}

/** Returns a row of a label, part, whole, share and interval. */
export function rateRow(label: string, rate: Rate): string[] {
  const known = rate.share === undefined ? ['', ''] : [formatShare(rate.share), formatInterval(rate)];
  return [label, formatCount(rate.part), formatCount(rate.whole), ...known];
}

/** Returns a table of the most frequent names. */
export function namesTable(title: string, column: string, names: Names): Table {
  return { title, columns: [column, 'Times', 'Share'], rows: nameRows(names), note: namesNote(names) };
}

/** Explains which names a table leaves out, and the error of its counts. */
export function namesNote({ top, distinct, isExact, blindSpot }: Names): string | undefined {
  if (!isExact) {
    return `There were too many names to count them all: counts may be up to ${formatCount(blindSpot)} too high, and a missing name occurred at most that often.`;
  }
  return distinct > top.length ? `The ${top.length} most frequent of ${formatCount(distinct)}.` : undefined;
}
