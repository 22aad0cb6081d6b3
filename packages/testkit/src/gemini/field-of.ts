import type { JsonObject } from '../upstream/json-object.ts';

/** Returns the name of a member in snake case, which the service accepts as well as camel case. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns a member by either name. */
export function fieldOf(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeCase(name)];
}
