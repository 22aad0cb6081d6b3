/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Keys may be anything, `__proto__` included. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether a value is an object with keys: no array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * One text for every way to spell the same JSON value: keys in order of their code units, no white space, numbers as
 * JavaScript prints them. Values that are equal have equal texts, and the other way round.
 *
 * Members that are undefined are left out, as `JSON.stringify` does. Recursive: the depth of the value must be bounded.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${members.join(',')}}`;
}

/** Whether two JSON values are equal, however they were spelled. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, at) => isSameJson(item, right[at]));
  if (isJsonObject(left) && isJsonObject(right)) return hasSameMembers(left, right);
  return canonicalJson(left) === canonicalJson(right);
}

/** Members that are undefined are none. */
function hasSameMembers(left: JsonObject, right: JsonObject): boolean {
  const keysOf = (object: JsonObject) => Object.keys(object).filter((key) => object[key] !== undefined);
  const keys = keysOf(left);
  return (
    keys.length === keysOf(right).length &&
    keys.every(
      (key) => Object.hasOwn(right, key) && right[key] !== undefined && isSameJson(left[key], right[key]),
    )
  );
}

/** What is wrong with a value as JSON that is to be stored. */
export type JsonFault = 'too_deep' | 'lone_surrogate' | 'no_json';

/**
 * The first fault of a value, or undefined: nesting beyond `maxDepth`, half of a surrogate pair in a text or a key, or
 * something that JSON cannot say (a function, a bigint, a number that is not finite). Stops at the depth that is allowed,
 * so that a value that holds itself ends as too deep.
 */
export function findJsonFault(value: unknown, maxDepth: number): JsonFault | undefined {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? undefined : 'lone_surrogate';
    case 'number':
      return Number.isFinite(value) ? undefined : 'no_json';
    case 'boolean':
      return undefined;
    case 'object':
      return value === null ? undefined : findFaultInside(value, maxDepth);
    default:
      return 'no_json';
  }
}

function findFaultInside(value: object, maxDepth: number): JsonFault | undefined {
  if (maxDepth <= 0) return 'too_deep';
  for (const [key, member] of Object.entries(value)) {
    if (!key.isWellFormed()) return 'lone_surrogate';
    // JSON leaves such a member out, so that it cannot be wrong.
    if (member === undefined && !Array.isArray(value)) continue;
    const fault = findJsonFault(member, maxDepth - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
