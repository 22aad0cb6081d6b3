/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Keys may be anything, `__proto__` included. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether a value is an object other than an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Writes a JSON value in its canonical form: keys in order of code units, no white space, numbers as JavaScript prints
 * them. Two values are equal exactly when their texts are.
 *
 * Omits undefined members, as `JSON.stringify` does. Recursive: the depth of the value must be bounded.
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
