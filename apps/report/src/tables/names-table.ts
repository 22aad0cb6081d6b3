import type { Names } from '../counting/top-names.ts';
import { formatCount, formatShare } from '../text/format.ts';
import { printable } from '../text/printable.ts';
import type { Table } from './part.ts';

/** A table of the most frequent names; undefined when there are none. */
export function namesTable(title: string, column: string, names: Names): Table | undefined {
  if (names.total === 0) return undefined;
  const note = namesNote(names);
  return {
    title,
    columns: [column, 'Times', 'Share'],
    rows: names.top.map(({ name, count }) => [
      printable(name),
      formatCount(count),
      formatShare(count / names.total),
    ]),
    ...(note !== undefined && { note }),
  };
}

/** Says what a table of names leaves out, and how far its counts may be off. */
export function namesNote({ top, distinct, isExact, blindSpot }: Names): string | undefined {
  if (!isExact) {
    return `There were too many names to count them all: counts may be up to ${formatCount(blindSpot)} too high, and a name that is missing came at most so often.`;
  }
  return distinct > top.length ? `The ${top.length} most frequent of ${formatCount(distinct)}.` : undefined;
}
