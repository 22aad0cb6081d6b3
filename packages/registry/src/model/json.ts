import { canonicalJson, isJsonObject, type JsonObject, type Validation, validateJson } from '@winnow/core';
import { compileSchemaPattern } from '@winnow/ranking';

export { canonicalJson, isJsonObject, type Json, type JsonObject } from '@winnow/core';

/** Whether two JSON values are equal, regardless of spelling. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, at) => isSameJson(item, right[at]));
  if (isJsonObject(left) && isJsonObject(right)) return hasSameMembers(left, right);
  return canonicalJson(left) === canonicalJson(right);
}

/** Undefined members count as missing. */
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

/** A fault that keeps a value from being stored as JSON. */
type JsonFault = 'too_deep' | 'lone_surrogate' | 'no_json';

/**
 * Returns the first fault of a value, if any: nesting beyond `maxDepth`, half of a surrogate pair in a text or key, or a
 * value that JSON cannot represent (a function, a bigint, a number that is not finite). Stops at `maxDepth`, so a value
 * that contains itself is too deep.
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
    // JSON omits undefined members.
    if (member === undefined && !Array.isArray(value)) continue;
    const fault = findJsonFault(member, maxDepth - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Validates a value against a JSON Schema, with patterns. */
export function validateValue(schema: unknown, value: unknown): Validation {
  return validateJson(schema, value, compileSchemaPattern);
}
