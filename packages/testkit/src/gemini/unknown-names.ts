import type { JsonObject } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { snakeCase } from './field-of.ts';

/**
 * Finds members that the service does not know; it refuses each of them. Names count in camel case and in
 * snake case.
 */
export function* findUnknownNames(
  object: JsonObject,
  names: readonly string[],
  place: string,
): Generator<Rejection> {
  const known = new Set(names.flatMap((name) => [name, snakeCase(name)]));
  for (const name of Object.keys(object)) {
    if (known.has(name)) continue;
    const where = place === '' ? '' : ` at '${place}'`;
    yield badRequest(`Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`);
  }
}
