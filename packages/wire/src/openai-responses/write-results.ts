import type { RequestView, ToolSection } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type DeclaredTools, declaredTools, type KeptResult, keptText } from '../turns/kept-result.ts';
import { definitionsOf } from './edit-tools.ts';
import { objectsIn } from './read-items.ts';

/** What the request declares: a result is written anew from it, and clients do take tools away. */
export interface ResultSource {
  readonly section: ToolSection | undefined;
  readonly declared: DeclaredTools;
}

/** What the results of a request are written from. */
export function resultSource(view: RequestView): ResultSource {
  return { section: view.toolSection, declared: declaredTools(view) };
}

/**
 * The items that answer searches, as JSON. A search that the model made by its own tool search is answered by definitions, one that it made by
 * calling a function by text: what it was counts, not how tools are loaded by now. `turn` is the list of items in which it stands.
 */
export function writeResults(turn: string, results: readonly KeptResult[], source: ResultSource): string[] {
  const native = nativeSearches(turn);
  return results.map((result) =>
    native.has(result.callId) ? writeDefinitions(result, source) : writeText(result, source),
  );
}

/** Ids of the searches in a turn that want definitions. */
export function nativeSearches(turn: string): ReadonlySet<unknown> {
  if (!turn.includes('tool_search_call')) return NONE;
  return new Set(itemsIn(turn).flatMap(({ type, call_id: id }) => (type === 'tool_search_call' ? [id] : [])));
}

const NONE: ReadonlySet<unknown> = new Set();

/** The items of a turn, parsed. */
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
  const output = keptText(result, declared);
  return JSON.stringify({ type: 'function_call_output', call_id: result.callId, output });
}
