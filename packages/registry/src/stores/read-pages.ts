import type { StoredTool } from '../model/tool.ts';
import { fromRow, type ToolRow } from './tool-row.ts';

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
