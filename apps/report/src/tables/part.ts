/** A table whose cells are texts that are safe to print, but not escaped for HTML. */
export interface Table {
  readonly title: string;
  /** The titles of the columns. */
  readonly columns: readonly string[];
  /** The number of columns from the left that hold texts, not numbers; 1 by default. */
  readonly textColumns?: number;
  readonly rows: readonly (readonly string[])[];
  /** An explanation for readers. */
  readonly note?: string | undefined;
}

export type PartId =
  | 'traffic'
  | 'money'
  | 'suggestions'
  | 'tools'
  | 'tool-costs'
  | 'searches'
  | 'registry-tools'
  | 'fallbacks'
  | 'latency'
  | 'watching'
  | 'sessions'
  | 'reading';

/** One part of the report, the same on the terminal and on the page. */
export interface Part {
  readonly id: PartId;
  readonly title: string;
  /** Sentences above the tables; without any data, the only content. */
  readonly sentences: readonly string[];
  /** Tables without rows are not shown. */
  readonly tables: readonly Table[];
}
