import type { JsonObject } from '../json/json-splice.ts';

/** The key of a member that clients write in camel case or in snake case: the one that the object has, else that in camel case. */
export function keyOf(object: JsonObject, camelKey: string): string {
  if (camelKey in object) return camelKey;
  const snakeKey = snakeKeyOf(camelKey);
  return snakeKey in object ? snakeKey : camelKey;
}

/** The value of a member that clients write in camel case or in snake case, as servers of protocol buffers read both. */
export function fieldOf(object: JsonObject, camelKey: string): unknown {
  return object[keyOf(object, camelKey)];
}

/** What is asked for by name in every part of a history; the names are the format's own, so that there are a few dozen. */
const snakeKeys = new Map<string, string>();

function snakeKeyOf(camelKey: string): string {
  const known = snakeKeys.get(camelKey);
  if (known !== undefined) return known;
  const snakeKey = camelKey.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeKeys.set(camelKey, snakeKey);
  return snakeKey;
}
