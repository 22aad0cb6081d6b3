import { isJsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/**
 * Returns the query in the arguments of a search, given as text or parsed.
 *
 * Empty when it cannot be read: a model that is cut off sends half an object, and some models send no JSON.
 */
export function readQuery(searchArguments: unknown): string {
  const parsed = typeof searchArguments === 'string' ? parseJson(searchArguments) : searchArguments;
  return isJsonObject(parsed) && typeof parsed.query === 'string' ? parsed.query.trim() : '';
}
