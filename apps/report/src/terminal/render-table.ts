import CliTable from 'cli-table3';
import type { Table } from '../tables/part.ts';
import { wrap } from '../text/wrap.ts';

/** Between two columns. */
const GAP = 2;
/** Texts are cut to no less than this, as the beginning of a name says little. */
const NARROWEST_TEXT = 12;

/** A table as lines of text, texts to the left, numbers to the right; texts wrap where the terminal is too narrow for them. */
export function renderTable({ columns, rows, textColumns = 1 }: Table, width: number): string[] {
  const widths = columnWidths(columns, rows, textColumns, width);
  const table = new CliTable({
    head: [...columns],
    colWidths: widths,
    colAligns: columns.map((_, index) => (index < textColumns ? 'left' : 'right')),
    chars: BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP, compact: true },
  });
  table.push(...rows.map((row) => row.map((cell, index) => wrap(cell, widths[index]! - GAP).join('\n'))));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** One line below the head, and nothing else. */
const BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
} as const;

/** Returns the width of each column's longest cell; the widest text columns shrink if the table is too wide. */
function columnWidths(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns: number,
  width: number,
): number[] {
  const widths = columns.map(
    (title, index) => Math.max(title.length, ...rows.map((row) => (row[index] ?? '').length)) + GAP,
  );
  for (let over = sum(widths) - GAP - width; over > 0; over--) {
    const widest = widths
      .slice(0, textColumns)
      .reduce((best, value, index, all) => (value > all[best]! ? index : best), 0);
    if (widths[widest]! <= NARROWEST_TEXT) break;
    widths[widest]! -= 1;
  }
  return widths;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
