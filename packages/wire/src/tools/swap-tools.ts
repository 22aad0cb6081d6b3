import { BRIDGE_PARAMETERS, type Edit, removeValues, SEARCH_PARAMETERS, splice } from '@winnow/core';
import type { AddedTool, WriteTool } from '../format/capabilities.ts';
import type { Plan, RequestView, SearchTool, ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import { rememberBy } from '../remember-by.ts';
import { type SectionEdit, type WrittenText, writtenText } from '../request/write-request.ts';

/**
 * Returns the edits that give a request the tools of a plan in swap or bridge mode. Each list keeps its kept
 * entries in the client's order; the plan's own tools and, in swap mode, the loaded entries, in load order,
 * follow in the last list. Each entry keeps its bytes.
 *
 * A list that loses its last entry is removed, with every container that becomes empty. No edit when the
 * plan changes nothing, and when nothing would remain: providers reject an empty list.
 */
export function swapTools(
  { toolSection: section, spans }: RequestView,
  plan: Plan,
  writeTool: WriteTool,
): SectionEdit[] {
  if (!section || !spans.tools) return [];
  const { loadMode, defer, load } = plan;
  const own = writeOwnTools(plan, (tool) => writeTool(tool, section));
  const swapped = swapSection(section, defer, loadMode === 'bridge' ? NO_NAMES : load, own);
  return swapped === undefined ? [] : [{ ...spans.tools, ...swapped }];
}

const NO_NAMES: readonly string[] = [];

const swapSection = rememberBy(
  (
    section: ToolSection,
    defer: readonly string[],
    load: readonly string[],
    ownTools: string | undefined,
  ): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && ownTools === undefined) return undefined;
    const loaded = loadedEntries(load, deferred).map((entry) => entry.text);
    const added = [...(ownTools === undefined ? [] : [ownTools]), ...loaded];
    const text = rewriteLists(section, deferred, added);
    return text === undefined ? undefined : writtenText(text);
  },
);

function rewriteLists(
  section: ToolSection,
  deferred: ReadonlySet<ToolEntry>,
  added: readonly string[],
): string | undefined {
  const kept = Map.groupBy(
    section.entries.filter((entry) => !deferred.has(entry)),
    ({ list }) => list,
  );
  const isChanged = new Set([...deferred].map(({ list }) => list));
  const edits: Edit[] = [];
  const emptied: ToolList[] = [];
  for (const list of section.lists) {
    const behind = list === section.lists.at(-1) ? added : [];
    const texts = [...(kept.get(list) ?? []).map((entry) => entry.text), ...behind];
    if (!isChanged.has(list) && behind.length === 0) continue;
    if (texts.length > 0) edits.push({ ...list.span, text: `[${texts.join(',')}]` });
    else emptied.push(list);
  }
  if (emptied.length > 0) {
    const whole = { start: 0, end: section.text.length };
    const removals = removeValues(
      section.text,
      whole,
      emptied.map(({ path }) => path),
    );
    if (removals === undefined) return undefined;
    edits.push(...removals);
  }
  return splice(section.text, edits);
}

/** Returns the entries that a plan defers: all functions with the names in the plan, and only functions. */
export function deferredEntries({ toolSection }: RequestView, { defer }: Plan): ReadonlySet<ToolEntry> {
  return toolSection === undefined ? NONE : deferredOf(toolSection, defer);
}

const NONE: ReadonlySet<ToolEntry> = new Set();

/** Returns the deferred entries of a section. */
export const deferredOf = rememberBy(
  ({ entries }: ToolSection, defer: readonly string[]): ReadonlySet<ToolEntry> => {
    const names = new Set(defer);
    return new Set(
      entries.filter(({ kind, name }) => kind === 'function' && name !== undefined && names.has(name)),
    );
  },
);

/**
 * Returns the deferred entries that are loaded, in load order: entries of the same name together, no entry
 * twice.
 */
export function loadedEntries(load: readonly string[], deferred: ReadonlySet<ToolEntry>): ToolEntry[] {
  // Most plans load nothing, and grouping hundreds of entries costs more than the edit.
  if (load.length === 0) return [];
  const byName = Map.groupBy(deferred, ({ name }) => name);
  return [...new Set(load)].flatMap((name) => byName.get(name) ?? []);
}

/** Returns the tools that a plan adds to a request, in their order: the search tool, then the bridge tool. */
export function ownTools(plan: Plan): readonly AddedTool[] {
  const { searchTool } = plan;
  return [
    ...(searchTool === undefined ? [] : [withParameters(searchTool, SEARCH_PARAMETERS)]),
    ...(plan.loadMode === 'bridge' ? [withParameters(plan.bridgeTool, BRIDGE_PARAMETERS)] : []),
  ];
}

/** The same object for each request of an agent, so that its text can be remembered. */
const withParameters = rememberBy(
  (tool: SearchTool, parameters: AddedTool['parameters']): AddedTool => ({ ...tool, parameters }),
);

/** Writes these tools as the entries of a list; undefined when there are none. */
export function writeOwnTools(plan: Plan, writeTool: (tool: AddedTool) => string): string | undefined {
  const tools = ownTools(plan);
  return tools.length === 0 ? undefined : tools.map((tool) => writeTool(tool)).join(',');
}
