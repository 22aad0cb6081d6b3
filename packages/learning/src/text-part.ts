/** A table whose cells are texts that are safe to print, but not escaped for HTML. */
export interface TextTable {
  readonly title: string;
  /** The titles of the columns. */
  readonly columns: readonly string[];
  /** The number of columns from the left that hold texts, not numbers; 1 by default. */
  readonly textColumns?: number;
  readonly rows: readonly (readonly string[])[];
  /** An explanation for readers. */
  readonly note?: string | undefined;
}

/** Sentences and tables under a title, the same on a terminal and on a page. */
export interface TextPart {
  readonly title: string;
  /** Sentences above the tables; without any data, the only content. */
  readonly sentences: readonly string[];
  /** Tables without rows are not shown. */
  readonly tables: readonly TextTable[];
}
