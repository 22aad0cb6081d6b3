import type { StoredTool } from '../model/tool.ts';
import { fromRow, type ToolRow } from './tool-row.ts';

/** How many tools are read at once. */
export const TOOLS_PER_READ = 1_000;

/**
 * All tools of a scope, a page at a time. The next page is read while the one before is worked on.
 *
 * @param read gives the next `TOOLS_PER_READ` rows behind an id, or fewer when there are no more.
 */
export async function* readPages(
  read: (after: string) => Promise<readonly ToolRow[]>,
): AsyncGenerator<readonly StoredTool[]> {
  for (let page = read(''); ; ) {
    const rows = await page;
    const isLast = rows.length < TOOLS_PER_READ;
    if (!isLast) {
      page = read(rows.at(-1)!.id);
      // Whoever asks for it hears of a failure; where nobody does any more, it is nobody's.
      page.catch(() => {});
    }
    if (rows.length > 0) yield rows.map(fromRow);
    if (isLast) return;
  }
}
