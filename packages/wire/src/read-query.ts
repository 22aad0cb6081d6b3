import { isJsonObject } from './json-splice.ts';

/** The query in the arguments of a search: their text, or what they were parsed to. Empty when there is none to be read. */
export function readQuery(searchArguments: unknown): string {
  const parsed = typeof searchArguments === 'string' ? parse(searchArguments) : searchArguments;
  return isJsonObject(parsed) && typeof parsed.query === 'string' ? parsed.query.trim() : '';
}

/** Models send half an object when they are cut off, and sometimes no JSON at all. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
