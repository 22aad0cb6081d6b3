import type { JsonObject } from '../upstream/json-object.ts';

/** The name of a member in snake case, which the service takes as well as camel case. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A member under either name. */
export function fieldOf(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeCase(name)];
}
