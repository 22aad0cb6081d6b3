import { isJsonObject, type JsonObject, validateValue } from '@winnow/registry';

/**
 * Removes the nulls that a schema refuses, as models in strict mode write optional parameters that they leave out.
 * Returns undefined if the arguments still do not fit.
 */
export function omitNulls(schema: unknown, values: JsonObject): JsonObject | undefined {
  const validation = validateValue(schema, values);
  if (validation.result !== 'invalid') return undefined;
  const copy = structuredClone(values) as JsonObject;
  for (const { path } of validation.errors) removeNull(copy, path);
  return validateValue(schema, copy).result === 'valid' ? copy : undefined;
}

/** Removes the member at a JSON Pointer if it is a null in an object. */
function removeNull(values: JsonObject, pointer: string): void {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop();
  let parent: unknown = values;
  for (const key of keys) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return;
    parent = (parent as Record<string, unknown>)[key];
  }
  if (last === undefined || !isJsonObject(parent) || parent[last] !== null) return;
  delete (parent as Record<string, unknown>)[last];
}
