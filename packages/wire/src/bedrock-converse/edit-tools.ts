import type { AddedTool } from '../format/capabilities.ts';
import type { Plan, RequestView, ToolSection } from '../format/view.ts';
import { splice } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type SectionEdit, type WrittenText, writtenText } from '../request/write-request.ts';
import { writeOwnTools } from '../tools/own-tools.ts';
import { deferredOf, loadedEntries } from '../tools/swap-tools.ts';

/**
 * Returns the edits that give a request the tools of a plan. The kept entries stay in the client's order. The
 * plan's own tools follow the last kept tool, so that a cache point after the tools covers them. The tools
 * that swap mode loads come last.
 *
 * A cache point with nothing left to cache is removed: the provider rejects a cache point in first place, and
 * a second one in a row has no effect.
 */
export function editTools({ toolSection: section, spans }: RequestView, plan: Plan): SectionEdit[] {
  if (section === undefined || spans.tools === undefined || section.entries.length === 0) return [];
  const own = writeOwnTools(plan, writeTool);
  const written = swapSection(section, plan.defer, plan.loadMode === 'bridge' ? NO_NAMES : plan.load, own);
  return written === undefined ? [] : [{ ...spans.tools, ...written }];
}

const swapSection = rememberBy(
  (
    section: ToolSection,
    defer: readonly string[],
    load: readonly string[],
    own: string | undefined,
  ): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && own === undefined) return undefined;
    const kept = section.entries
      .filter((entry) => !deferred.has(entry))
      .map((entry) => ({ text: entry.text, isCachePoint: entry.isCacheMarked }));
    if (own !== undefined) {
      const behind = 1 + kept.findLastIndex((entry) => !entry.isCachePoint);
      kept.splice(behind, 0, { text: own, isCachePoint: false });
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

/** Writes a tool of the proxy. */
export function writeTool({ name, description, parameters }: AddedTool): string {
  return JSON.stringify({ toolSpec: { name, description, inputSchema: { json: parameters } } });
}

const NO_NAMES: readonly string[] = [];
