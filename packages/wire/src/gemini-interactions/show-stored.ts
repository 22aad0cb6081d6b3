import type { ResponseAlias } from '../format.ts';
import { HiddenNames } from '../hidden-names.ts';
import { memberTexts, withMembers } from '../json-members.ts';
import { isJsonObject, type JsonObject } from '../json-splice.ts';
import { parseJson } from '../parse-json.ts';
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
    ...without(body, read, 'tools', ({ name }) => hidden.has(name)),
    ...without(body, read, 'input', isHidden),
    ...without(body, read, 'steps', isHidden),
  });
}

/** A member that is a list, without some of its elements; nothing when all of them stay. */
function without(
  body: string,
  read: JsonObject,
  key: string,
  isGone: (element: JsonObject) => boolean,
): Readonly<Record<string, string>> {
  const elements = read[key];
  if (!Array.isArray(elements) || !elements.some((one) => isJsonObject(one) && isGone(one))) return {};
  const kept = memberTexts(body, key).filter((_, at) => {
    const element: unknown = elements[at];
    return !isJsonObject(element) || !isGone(element);
  });
  return { [key]: `[${kept.join(',')}]` };
}
