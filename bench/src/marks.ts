import type { Table } from './table.ts';

/** One thing that must hold, and what was measured. */
export interface Mark {
  readonly what: string;
  /** The mark in words: "at least .755". */
  readonly mark: string;
  /** What was measured, with its unit. */
  readonly measured: string;
  readonly isMet: boolean;
}

/** The marks as a table that ends in yes or no. */
export function marksTable(marks: readonly Mark[]): Table {
  return {
    title: 'What must hold',
    header: ['what', 'mark', 'measured', 'met'],
    rows: marks.map(({ what, mark, measured, isMet }) => [what, mark, measured, isMet ? 'yes' : 'NO']),
    labels: 4,
  };
}
