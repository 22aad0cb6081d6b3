import type { ToolSection } from '../format/view.ts';
import { type JsonObject, objectsIn } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { DeclaredTools, KeptResult } from '../turns/kept-result.ts';
import { definitionsOf } from './edit-tools.ts';

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
