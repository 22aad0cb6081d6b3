import { SEARCH_PARAMETERS } from '@winnow/text';
import type {
  LoadMode,
  Plan,
  RequestView,
  SearchTool,
  ToolEntry,
  ToolList,
  ToolSection,
} from '../format/view.ts';
import { type Edit, elementsOf, memberSpan, splice, textOf } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type SectionEdit, type WrittenText, writtenText } from '../request/write-request.ts';
import { deferredOf, loadedEntries } from '../tools/swap-tools.ts';

/**
 * The edits that give a request the tools of a plan: the kept entries in the client's order, behind them the search tool, then what is loaded.
 *
 * By swap, a function of a namespace comes back in its namespace: at the end of what is kept of that, or, where nothing is, in a copy
 * behind the search tool. Natively, definitions travel in the results of searches; only what the history calls and no result brings is
 * declared again: `broughtNames` are those that the results of the history's hidden turns bring, found or shown for another reason.
 */
export function editTools(
  { toolSection: section, spans, calledNames }: RequestView,
  { loadMode, defer, load, searchTool }: Plan,
  broughtNames: readonly string[],
): SectionEdit[] {
  if (section === undefined || spans.tools === undefined || section.entries.length === 0) return [];
  const shown =
    loadMode === 'swap' ? load : namesWithoutResult(defer, [...load, ...broughtNames], calledNames);
  const written = writeSection(section, defer, shown, searchTool, loadMode);
  return written === undefined ? [] : [{ ...spans.tools, ...written }];
}

/** Names that the history calls, in order, of tools that are deferred and that no result in this history brings. */
function namesWithoutResult(
  defer: readonly string[],
  brought: readonly string[],
  calledNames: ReadonlySet<string>,
): readonly string[] {
  if (calledNames.size === 0) return [];
  const deferred = new Set(defer);
  const found = new Set(brought);
  return [...calledNames].filter((name) => deferred.has(name) && !found.has(name));
}

const writeSection = rememberBy(
  (
    section: ToolSection,
    defer: readonly string[],
    shown: readonly string[],
    searchTool: SearchTool | undefined,
    loadMode: LoadMode,
  ): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && searchTool === undefined) return undefined;
    const loaded = loadedEntries(shown, deferred);
    const elements = [
      ...keptElements(section, deferred, loaded),
      ...(searchTool === undefined ? [] : [writeSearchTool(searchTool, loadMode)]),
      ...addedElements(section, deferred, loaded),
    ];
    // The API rejects an empty list.
    return elements.length === 0 ? undefined : writtenText(`[${elements.join(',')}]`);
  },
);

function writeSearchTool({ name, description }: SearchTool, loadMode: LoadMode): string {
  return JSON.stringify(
    loadMode === 'native'
      ? { type: 'tool_search', execution: 'client', description, parameters: SEARCH_PARAMETERS }
      : { type: 'function', name, description, parameters: SEARCH_PARAMETERS, strict: true },
  );
}

/** The elements of the list that stay, namespaces without what is deferred in them and with what of that is loaded. */
function keptElements(
  section: ToolSection,
  deferred: ReadonlySet<ToolEntry>,
  loaded: readonly ToolEntry[],
): string[] {
  const entryAt = new Map(section.entries.map((entry) => [entry.span.start, entry]));
  return elementsOf(section.text, 0).flatMap((span, index) => {
    const text = textOf(section.text, span);
    const inner = section.lists.find(({ path }) => path[0] === index);
    if (inner === undefined) {
      const entry = entryAt.get(span.start);
      return entry !== undefined && deferred.has(entry) ? [] : [text];
    }
    const within = section.entries.filter(({ list }) => list === inner);
    const kept = within.filter((one) => !deferred.has(one));
    if (kept.length === within.length) return [text];
    if (kept.length === 0) return [];
    return [withTools(text, [...kept, ...loaded.filter(({ list }) => list === inner)])];
  });
}

/** What is loaded and has no place among what is kept: functions, and namespaces that were left out whole. */
function addedElements(
  section: ToolSection,
  deferred: ReadonlySet<ToolEntry>,
  loaded: readonly ToolEntry[],
): string[] {
  const [outer] = section.lists;
  const keptLists = new Set(section.entries.filter((entry) => !deferred.has(entry)).map(({ list }) => list));
  const lists = new Set(loaded.map((entry) => (entry.list === outer ? entry : entry.list)));
  return [...lists].flatMap((place) => {
    if ('text' in place) return [place.text];
    if (keptLists.has(place)) return [];
    const within = loaded.filter(({ list }) => list === place);
    return [withTools(namespaceOf(section, place), within)];
  });
}

/** What results of searches bring: each function in its own text, those of a namespace in a copy of it with nothing else. */
export function definitionsOf(section: ToolSection, entries: readonly ToolEntry[]): string[] {
  return addedElements(section, new Set(section.entries), entries);
}

/** The namespace of a list, as the client wrote it. */
function namespaceOf(section: ToolSection, { path: [index] }: ToolList): string {
  return textOf(section.text, elementsOf(section.text, 0)[index as number]!);
}

/** A namespace's text with these functions as its list. */
function withTools(namespace: string, entries: readonly ToolEntry[]): string {
  const tools = memberSpan(namespace, 0, 'tools')!;
  const edit: Edit = { ...tools, text: `[${entries.map(({ text }) => text).join(',')}]` };
  return splice(namespace, [edit]);
}
