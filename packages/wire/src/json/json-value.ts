import { parseJson as parse } from '@winnow/core';

/** A parsed JSON object, for reading only. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the objects in a list; empty for any other value. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Returns a string unless it is empty; undefined for any other value. */
export function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Parses a JSON text, ignoring a byte order mark; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  return parse(text.startsWith('\ufeff') ? text.slice(1) : text);
}

/** Returns a value with the members of all objects sorted by key. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
}

/** Returns how often a word stands in a text. */
export function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) count += 1;
  return count;
}
