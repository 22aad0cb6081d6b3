import type { ResponseAlias } from '../format/stored-responses.ts';
import { withMembers, withoutElements } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { HiddenNames } from '../tools/hidden-names.ts';
import { isFunctionCall, objectsIn } from './read-steps.ts';

/**
 * What the provider says of a stored interaction, as the client may see it: by the id that it knows, without searches, their results and the search
 * tool. Anything else stays as it came.
 */
export function showStored(
  body: string,
  { id, rounds, offered }: ResponseAlias,
  searchToolName: string,
): string {
  const read = parseJson(body);
  if (!isJsonObject(read)) return body;
  const hidden = new HiddenNames(searchToolName, offered);
  const isSearch = (step: JsonObject) => isFunctionCall(step) && hidden.has(step.name);
  const searches = new Set(
    [...objectsIn(read.input), ...objectsIn(read.steps)].filter(isSearch).map((step) => step.id),
  );
  const isHidden = (step: JsonObject) =>
    isSearch(step) ||
    (step.type === 'function_result' && (hidden.has(step.name) || searches.has(step.call_id)));
  return withMembers(body, {
    ...(read.id === rounds.at(-1) && read.id !== id && { id: JSON.stringify(id) }),
    ...withoutElements(body, read, 'tools', ({ name }) => hidden.has(name)),
    ...withoutElements(body, read, 'input', isHidden),
    ...withoutElements(body, read, 'steps', isHidden),
  });
}
