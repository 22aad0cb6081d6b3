/** A parsed JSON object; its members are unknown. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether the value is a JSON object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the objects of a list, in order; none if the value is not a list. For reading validated requests.
 */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
