import { isJsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/**
 * The query in the arguments of a search: their text, or what they were parsed to.
 *
 * Empty when there is none to be read: models that are cut off send half an object, and some send no JSON at all.
 */
export function readQuery(searchArguments: unknown): string {
  const parsed = typeof searchArguments === 'string' ? parseJson(searchArguments) : searchArguments;
  return isJsonObject(parsed) && typeof parsed.query === 'string' ? parsed.query.trim() : '';
}
