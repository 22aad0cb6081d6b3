import type { Names } from '../counting/top-names.ts';
import { formatCount } from '../text/format.ts';
import { nameRows } from './count-cells.ts';
import type { Table } from './part.ts';

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
