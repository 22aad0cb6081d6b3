import { isJsonObject } from '../json/json-splice.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the normal form of a turn's content: strings for texts, objects or lists for anything else.
 * Adjacent texts are one, without white space, which clients trim. Null members and the `uncounted` ones are
 * left out of objects. Empty when the turn has no content.
 */
export function writeForm(said: readonly (string | object)[], uncounted = NONE): string {
  const parts: string[] = [];
  let text = '';
  for (const part of said) {
    if (typeof part === 'string') {
      text += part.replaceAll(/\s+/g, '');
      continue;
    }
    if (text !== '') parts.push(JSON.stringify(text));
    text = '';
    parts.push(JSON.stringify(normalise(part, uncounted)));
  }
  if (text !== '') parts.push(JSON.stringify(text));
  return parts.join();
}

/** Returns a value with members sorted by name, because some clients sort them, and without null members. */
export function normalise(value: unknown, uncounted = NONE): unknown {
  if (Array.isArray(value)) return value.map((element) => normalise(element, uncounted));
  if (!isJsonObject(value)) return value;
  return Object.entries(value)
    .filter(([key, member]) => member !== null && !uncounted.has(key))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => [key, normalise(member, uncounted)]);
}

/** Returns the form without the lists that begin with this word; the texts around such a list become one. */
export function withoutParts(form: string, kind: string): string {
  const parts = JSON.parse(`[${form}]`) as (string | unknown[])[];
  const joined: unknown[] = [];
  for (const part of parts.filter((one) => !Array.isArray(one) || one[0] !== kind)) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined.map((part) => JSON.stringify(part)).join();
}
