/** A JSON object as it was parsed: nothing about its members is known yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether the value is a JSON object, and no array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list, in order; none when the value is no list. For reading what a validator has passed. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
