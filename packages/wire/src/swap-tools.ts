import { type Edit, textOf } from './json-splice.ts';
import type { Plan, RequestView, ToolEntry } from './view.ts';

/**
 * The edit that gives a request the tools of a plan in swap mode: the kept entries in the client's order, the search
 * tool, the loaded entries in load order, each entry in the client's own bytes.
 *
 * Undefined when the plan changes nothing, and when nothing would be left: providers reject an empty list.
 * `searchTool` is the plan's search tool as JSON of the format.
 */
export function swapTools(view: RequestView, plan: Plan, searchTool: string | undefined): Edit | undefined {
  const span = view.spans.members.get('tools');
  const deferred = deferredEntries(view, plan);
  if (span === undefined || (deferred.size === 0 && searchTool === undefined)) return undefined;
  const textOfEntry = (entry: ToolEntry) => textOf(view.text, entry.span);
  const kept = view.tools.filter((entry) => !deferred.has(entry)).map(textOfEntry);
  const loaded = loadedEntries(plan, deferred).map(textOfEntry);
  const entries = [...kept, ...(searchTool === undefined ? [] : [searchTool]), ...loaded];
  return entries.length === 0 ? undefined : { ...span, text: `[${entries.join(',')}]` };
}

/** The entries that a plan defers: all functions of the names it says, and nothing but functions. */
export function deferredEntries(view: RequestView, plan: Plan): ReadonlySet<ToolEntry> {
  const names = new Set(plan.defer);
  return new Set(
    view.tools.filter(({ kind, name }) => kind === 'function' && name !== undefined && names.has(name)),
  );
}

/** The deferred entries that a plan loads, in load order: those of one name together, no entry twice. */
export function loadedEntries(plan: Plan, deferred: ReadonlySet<ToolEntry>): ToolEntry[] {
  // Most plans load nothing, and grouping hundreds of entries costs more than the edit.
  if (plan.load.length === 0) return [];
  const byName = Map.groupBy(deferred, ({ name }) => name);
  return [...new Set(plan.load)].flatMap((name) => byName.get(name) ?? []);
}
