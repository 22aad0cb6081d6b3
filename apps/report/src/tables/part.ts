/** A table as it is read: all cells are texts that are safe to print, though not yet to put into HTML. */
export interface Table {
  readonly title: string;
  /** Titles of the columns. The first holds texts, the others hold numbers unless `textColumns` says otherwise. */
  readonly columns: readonly string[];
  /** How many columns from the left hold texts; 1 unless said. */
  readonly textColumns?: number;
  readonly rows: readonly (readonly string[])[];
  /** What should be known to read it right. */
  readonly note?: string;
}

export type PartId =
  | 'traffic'
  | 'money'
  | 'tools'
  | 'searches'
  | 'registry-tools'
  | 'fallbacks'
  | 'latency'
  | 'watching'
  | 'sessions'
  | 'reading';

/** One part of the report: the same on the terminal and on the page. */
export interface Part {
  readonly id: PartId;
  readonly title: string;
  /** Sentences ahead of the tables; all there is when there is nothing to count. */
  readonly sentences: readonly string[];
  readonly tables: readonly Table[];
}
