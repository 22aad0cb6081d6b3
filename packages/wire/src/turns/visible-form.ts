import { isJsonObject } from '../json/json-splice.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * The normal form of what a turn says: a text is a string, anything else an object or a list. Texts that follow each other are one, without
 * white space, which clients trim; of objects, null members and the `uncounted` ones are left out. Empty when the turn says nothing.
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

/** Members in the order of their names, since some clients sort them; null says nothing. */
export function normalise(value: unknown, uncounted = NONE): unknown {
  if (Array.isArray(value)) return value.map((element) => normalise(element, uncounted));
  if (!isJsonObject(value)) return value;
  return Object.entries(value)
    .filter(([key, member]) => member !== null && !uncounted.has(key))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => [key, normalise(member, uncounted)]);
}

/** The same form without the lists that begin with this word: texts that they had parted are one again. */
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
