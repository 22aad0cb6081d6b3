import type { JsonObject } from '../json/json-splice.ts';

/**
 * Returns the key of a member that clients write in camel case or snake case: the spelling that the object
 * has, or else camel case.
 */
export function keyOf(object: JsonObject, camelKey: string): string {
  if (camelKey in object) return camelKey;
  const snakeKey = snakeKeyOf(camelKey);
  return snakeKey in object ? snakeKey : camelKey;
}

/**
 * Returns the value of a member that clients write in camel case or snake case; protocol buffer servers read
 * both.
 */
export function fieldOf(object: JsonObject, camelKey: string): unknown {
  return object[keyOf(object, camelKey)];
}

/**
 * Snake-case keys by camel-case key, looked up for every part of a history. The keys come from the format, so
 * there are only a few dozen.
 */
const snakeKeys = new Map<string, string>();

function snakeKeyOf(camelKey: string): string {
  const known = snakeKeys.get(camelKey);
  if (known !== undefined) return known;
  const snakeKey = camelKey.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeKeys.set(camelKey, snakeKey);
  return snakeKey;
}
