import type { ResponseAlias } from '../format/stored-responses.ts';
import { memberOf, withMembers, withoutElements } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { HiddenNames } from '../tools/hidden-names.ts';
import { isFunctionCall, objectsIn } from './read-items.ts';

/**
 * What the provider says of a stored response, as the client may see it: by the id that it knows, without searches, their results and the search
 * tool. Anything else stays as it came.
 */
export function showStored(
  body: string,
  { id, rounds, offered }: ResponseAlias,
  searchToolName: string,
): string {
  const read = parseJson(body);
  if (!isJsonObject(read)) return body;
  const changes: Record<string, string> = {};
  if (read.id === rounds.at(-1) && read.id !== id) changes.id = JSON.stringify(id);
  const hidden = new HiddenNames(searchToolName, offered);
  const isTool = (entry: JsonObject) => hidden.has(entry.name) || isClientSearch(entry);
  Object.assign(
    changes,
    withoutElements(body, read, 'tools', (entry) => isTool(entry)),
  );
  const searches = new Set(
    [...objectsIn(read.output), ...objectsIn(read.data)]
      .filter((item) => isSearch(item, hidden))
      .map(({ call_id: callId }) => callId),
  );
  const isHidden = (item: JsonObject) =>
    isSearch(item, hidden) || (searches.has(item.call_id) && item.call_id !== undefined);
  Object.assign(
    changes,
    withoutElements(body, read, 'output', isHidden),
    withoutElements(body, read, 'data', isHidden),
  );
  if (changes.data !== undefined) Object.assign(changes, endsOf(body, changes.data));
  return Object.keys(changes).length === 0 ? body : withMembers(body, changes);
}

function isSearch(item: JsonObject, hidden: HiddenNames): boolean {
  const isCall = isFunctionCall(item) && hidden.has(item.name);
  return isCall || (item.type === 'tool_search_call' && item.execution === 'client');
}

function isClientSearch({ type, execution }: JsonObject): boolean {
  return type === 'tool_search' && execution === 'client';
}

/** A page tells the ids of its first and its last item. */
function endsOf(body: string, data: string): Readonly<Record<string, string>> {
  const ids = objectsIn(parseJson(data)).map(({ id }) => JSON.stringify(id ?? null));
  return {
    ...(memberOf(body, 'first_id') !== undefined && { first_id: ids[0] ?? 'null' }),
    ...(memberOf(body, 'last_id') !== undefined && { last_id: ids.at(-1) ?? 'null' }),
  };
}
