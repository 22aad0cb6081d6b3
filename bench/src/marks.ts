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

/** A measured value without a requirement. */
export type Figure = Pick<Mark, 'what' | 'measured'>;

/** Returns the table of a results page whose values have requirements, with the figures before the marks. */
export function resultsTable(figures: readonly Figure[], marks: readonly Mark[]): Table {
  const table = marksTable(marks);
  return {
    ...table,
    rows: [...figures.map(({ what, measured }) => [what, '–', measured, '–']), ...table.rows],
  };
}

/** Says how many marks are met, and names those that are not. */
export function marksLine(marks: readonly Mark[]): string {
  const measured = marks.filter(({ isMet }) => isMet !== undefined);
  const missed = measured.filter(({ isMet }) => !isMet);
  const names = missed.map(({ what, mark, measured: value }) => `${what} (${mark}: ${value})`);
  const count = `${measured.length - missed.length} of ${measured.length} marks are met`;
  return names.length === 0 ? `${count}.` : `${count}; not: ${names.join('; ')}.`;
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
