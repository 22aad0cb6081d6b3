import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';

/**
 * Returns the object that holds the name in a tool, a call or a choice: `function` or `custom`. Undefined for
 * anything else.
 */
export function functionOf(entry: JsonObject): (JsonObject & { readonly name: string }) | undefined {
  const named = entry.type === 'custom' ? entry.custom : entry.function;
  if (!isJsonObject(named) || typeof named.name !== 'string') return undefined;
  return { ...named, name: named.name };
}
