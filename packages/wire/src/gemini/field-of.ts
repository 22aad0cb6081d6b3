import type { JsonObject } from '../json-splice.ts';

/** The key of a member that clients write in camel case or in snake case: the one that the object has, else that in camel case. */
export function keyOf(object: JsonObject, camelKey: string): string {
  const snakeKey = camelKey.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return !(camelKey in object) && snakeKey in object ? snakeKey : camelKey;
}

/** The value of a member that clients write in camel case or in snake case, as servers of protocol buffers read both. */
export function fieldOf(object: JsonObject, camelKey: string): unknown {
  return object[keyOf(object, camelKey)];
}
