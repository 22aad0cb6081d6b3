import type { StoredTool } from '../model/tool.ts';

/** A stored tool as texts, for stores that keep rows. */
export interface ToolRow {
  readonly id: string;
  /** The definition as JSON text. */
  readonly definition: string;
  /** Everything else, as JSON. */
  readonly rest: string;
}

/** Converts a tool to its row. */
export function toRow(tool: StoredTool): ToolRow {
  const { id, definition, ...rest } = tool;
  return { id, definition, rest: JSON.stringify(rest) };
}

/** Converts a row of `toRow` back to its tool. */
export function fromRow({ id, definition, rest }: ToolRow): StoredTool {
  const parts = JSON.parse(rest) as Omit<StoredTool, 'id' | 'definition'>;
  // JSON omits undefined fields, and rows of earlier versions lack fields of servers.
  const { version, prefix, hasTrustedAnnotations = true } = parts;
  return { id, ...parts, version, prefix, hasTrustedAnnotations, definition };
}

/** Number of tools per read. */
export const TOOLS_PER_READ = 1_000;

/**
 * Yields all tools of a scope, page by page. Reads the next page while the caller works on the current one.
 *
 * @param read Returns the next `TOOLS_PER_READ` rows after an id, or fewer at the end.
 */
export async function* readPages(
  read: (after: string) => Promise<readonly ToolRow[]>,
): AsyncGenerator<readonly StoredTool[]> {
  for (let page = read(''); ; ) {
    const rows = await page;
    const isLast = rows.length < TOOLS_PER_READ;
    if (!isLast) {
      page = read(rows.at(-1)!.id);
      // The next iteration reports a failure; without one, it does not matter.
      page.catch(() => {});
    }
    if (rows.length > 0) yield rows.map(fromRow);
    if (isLast) return;
  }
}
