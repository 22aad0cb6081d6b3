import type { Table } from './table.ts';

/** A requirement with its measured value. */
export interface Mark {
  readonly what: string;
  /** The requirement in words: "at least .755". */
  readonly mark: string;
  /** The measured value with its unit. */
  readonly measured: string;
  /** Undefined if it was not measured. */
  readonly isMet: boolean | undefined;
}

/** Returns the marks as a table that ends in whether each is met. */
export function marksTable(marks: readonly Mark[]): Table {
  return {
    title: 'What must hold',
    header: ['what', 'mark', 'measured', 'met'],
    rows: marks.map(({ what, mark, measured, isMet }) => [what, mark, measured, wordOf(isMet)]),
    labels: 4,
  };
}

function wordOf(isMet: boolean | undefined): string {
  if (isMet === undefined) return 'not measured';
  return isMet ? 'yes' : 'NO';
}
