import { SEARCH_PARAMETERS } from '@winnow/text';
import type { Plan, RequestView, SearchTool, ToolSection } from '../format/view.ts';
import { splice } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type SectionEdit, type WrittenText, writtenText } from '../request/write-request.ts';
import { deferredOf, loadedEntries } from '../tools/swap-tools.ts';
import { isCachePoint } from './read-tools.ts';

/**
 * Returns the edits that give a request the tools of a plan. The kept entries stay in the client's order. The
 * search tool follows the last kept tool, so that a cache point after the tools covers it. The loaded tools
 * come last.
 *
 * A cache point with nothing left to cache is removed: the provider rejects a cache point in first place, and
 * a second one in a row has no effect.
 */
export function editTools(
  { toolSection: section, spans }: RequestView,
  { defer, load, searchTool }: Plan,
): SectionEdit[] {
  if (section === undefined || spans.tools === undefined || section.entries.length === 0) return [];
  const written = swapSection(section, defer, load, searchTool);
  return written === undefined ? [] : [{ ...spans.tools, ...written }];
}

const swapSection = rememberBy(
  (
    section: ToolSection,
    defer: readonly string[],
    load: readonly string[],
    searchTool: SearchTool | undefined,
  ): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && searchTool === undefined) return undefined;
    const kept = section.entries
      .filter((entry) => !deferred.has(entry))
      .map((entry) => ({ text: entry.text, isCachePoint: isCachePoint(entry) }));
    if (searchTool !== undefined) {
      const behind = 1 + kept.findLastIndex((entry) => !entry.isCachePoint);
      kept.splice(behind, 0, { text: writeSearchTool(searchTool), isCachePoint: false });
    }
    const loaded = loadedEntries(load, deferred).map(({ text }) => text);
    const entries = [...kept.filter((entry, at) => !entry.isCachePoint || isWorth(kept[at - 1])), ...loaded];
    // The provider rejects a list without tools, and a history with calls if there is no list.
    if (entries.length === 0) return undefined;
    const texts = entries.map((entry) => (typeof entry === 'string' ? entry : entry.text));
    return writtenText(splice(section.text, [{ ...section.lists[0]!.span, text: `[${texts.join(',')}]` }]));
  },
);

/** Whether a cache point after this entry caches more than the previous one. */
function isWorth(before: { readonly isCachePoint: boolean } | undefined): boolean {
  return before !== undefined && !before.isCachePoint;
}

function writeSearchTool({ name, description }: SearchTool): string {
  return JSON.stringify({ toolSpec: { name, description, inputSchema: { json: SEARCH_PARAMETERS } } });
}
