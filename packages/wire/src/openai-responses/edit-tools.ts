import { type Edit, elementsOf, memberSpan, SEARCH_PARAMETERS, splice, textOf } from '@winnow/core';
import type { AddedTool } from '../format/capabilities.ts';
import type { Plan, RequestView, ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import { type JsonObject, objectsIn, parseJson } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import { type SectionEdit, type WrittenText, writtenText } from '../request/write-request.ts';
import { deferredOf, loadedEntries, ownTools } from '../tools/swap-tools.ts';
import type { DeclaredTools, KeptResult } from '../turns/kept-result.ts';

/**
 * Returns the edits that give a request the tools of a plan: the kept entries in the client's order, the
 * search tool, then the loaded tools.
 *
 * In swap mode, a function of a namespace returns to its namespace: at the end of the kept functions, or in a
 * copy of the namespace after the search tool. In native mode, results of searches carry the definitions. A
 * called tool is declared again only if no result carries it: `broughtNames` are the tools in the results of
 * the history's hidden turns.
 */
export function editTools(
  { toolSection: section, spans, calledNames }: RequestView,
  plan: Plan,
  broughtNames: readonly string[],
): SectionEdit[] {
  if (section === undefined || spans.tools === undefined || section.entries.length === 0) return [];
  const shown = shownNames(plan, broughtNames, calledNames);
  const written = writeSection(section, plan.defer, shown, writeOwn(plan));
  return written === undefined ? [] : [{ ...spans.tools, ...written }];
}

function shownNames(
  { loadMode, defer, load }: Plan,
  broughtNames: readonly string[],
  calledNames: ReadonlySet<string>,
): readonly string[] {
  switch (loadMode) {
    case 'swap':
      return load;
    case 'native':
      return namesWithoutResult(defer, [...load, ...broughtNames], calledNames);
    case 'bridge':
      return NO_NAMES;
    default:
      return loadMode satisfies never;
  }
}

const NO_NAMES: readonly string[] = [];

/**
 * Returns the names that the history calls, in order, of deferred tools that no result in this history
 * carries.
 */
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
    own: string,
  ): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && own === '') return undefined;
    const loaded = loadedEntries(shown, deferred);
    const elements = [
      ...keptElements(section, deferred, loaded),
      ...(own === '' ? [] : [own]),
      ...addedElements(section, deferred, loaded),
    ];
    // The API rejects an empty list.
    return elements.length === 0 ? undefined : writtenText(`[${elements.join(',')}]`);
  },
);

/** Writes the tools that a plan adds; empty when there are none. */
function writeOwn(plan: Plan): string {
  const { loadMode, searchTool } = plan;
  if (loadMode !== 'native') {
    return ownTools(plan)
      .map((tool) => writeTool(tool, tool.name === searchTool?.name))
      .join(',');
  }
  if (searchTool === undefined) return '';
  const { description } = searchTool;
  return JSON.stringify({
    type: 'tool_search',
    execution: 'client',
    description,
    parameters: SEARCH_PARAMETERS,
  });
}

/**
 * Writes a tool of the proxy. The provider rewrites the schema of a tool without `strict` to make it strict,
 * and `strict` accepts no object of unknown members.
 */
export const writeTool = rememberBy(({ name, description, parameters }: AddedTool, strict: boolean): string =>
  JSON.stringify({ type: 'function', name, description, parameters, strict }),
);

/**
 * Returns the elements of the list that stay. Namespaces lose their deferred functions and regain the loaded
 * ones.
 */
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

/**
 * Returns the loaded tools without a kept namespace: single functions, and copies of namespaces that were
 * left out whole.
 */
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

/**
 * Returns the definitions for the result of a search: each function in its own text, those of a namespace in
 * a copy of it without other functions.
 */
function definitionsOf(section: ToolSection, entries: readonly ToolEntry[]): string[] {
  return addedElements(section, new Set(section.entries), entries);
}

/** Returns the namespace of a list in the client's text. */
function namespaceOf(section: ToolSection, { path: [index] }: ToolList): string {
  return textOf(section.text, elementsOf(section.text, 0)[index as number]!);
}

/** Returns a namespace's text with these functions as its list. */
function withTools(namespace: string, entries: readonly ToolEntry[]): string {
  const tools = memberSpan(namespace, 0, 'tools')!;
  const edit: Edit = { ...tools, text: `[${entries.map(({ text }) => text).join(',')}]` };
  return splice(namespace, [edit]);
}

/** The tools that the request declares. Results are rewritten from them, because clients do remove tools. */
export interface ResultSource {
  readonly section: ToolSection | undefined;
  readonly declared: DeclaredTools;
}

/**
 * Returns the items that answer searches, as JSON. Definitions answer a search through the model's own tool
 * search, text answers a function call: the kind of the call decides, not the current load mode. `turn` is
 * the list of items that contains the searches.
 */
export function writeResults(turn: string, results: readonly KeptResult[], source: ResultSource): string[] {
  const native = nativeSearches(turn);
  return results.map((result) =>
    native.has(result.callId) ? writeDefinitions(result, source) : writeText(result, source),
  );
}

/** Returns the ids of the searches in a turn that need definitions. */
export function nativeSearches(turn: string): ReadonlySet<unknown> {
  if (!turn.includes('tool_search_call')) return NONE;
  return new Set(itemsIn(turn).flatMap(({ type, call_id: id }) => (type === 'tool_search_call' ? [id] : [])));
}

const NONE: ReadonlySet<unknown> = new Set();

/** Returns the items of a turn, parsed. */
export function itemsIn(turn: string): JsonObject[] {
  return objectsIn(parseJson(turn));
}

function writeDefinitions({ callId, names }: KeptResult, { section }: ResultSource): string {
  const found = new Set(names);
  const entries = section?.entries.filter(
    ({ kind, name }) => kind === 'function' && name !== undefined && found.has(name),
  );
  const ordered = (entries ?? []).toSorted((a, b) => names.indexOf(a.name!) - names.indexOf(b.name!));
  const tools = section === undefined ? [] : definitionsOf(section, ordered);
  const head = { type: 'tool_search_output', call_id: callId, execution: 'client', status: 'completed' };
  return `${JSON.stringify(head).slice(0, -1)},"tools":[${tools.join(',')}]}`;
}

function writeText(result: KeptResult, { declared }: ResultSource): string {
  const output = declared.textOf(result);
  return JSON.stringify({ type: 'function_call_output', call_id: result.callId, output });
}
