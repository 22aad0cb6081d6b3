import type { Table } from './table.ts';

/** A requirement with its measured value. */
export interface Mark {
  readonly what: string;
  /** The requirement in words: "at least .755". */
  readonly mark: string;
  /** The measured value with its unit. */
  readonly measured: string;
  readonly isMet: boolean;
}

/** Returns the marks as a table that ends in yes or no. */
export function marksTable(marks: readonly Mark[]): Table {
  return {
    title: 'What must hold',
    header: ['what', 'mark', 'measured', 'met'],
    rows: marks.map(({ what, mark, measured, isMet }) => [what, mark, measured, isMet ? 'yes' : 'NO']),
    labels: 4,
  };
}
