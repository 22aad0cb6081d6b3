import type { JsonObject } from '../json/json-splice.ts';

/**
 * Returns the usage of a call whose counts arrive twice: at its start and, cumulative, at its end.
 *
 * The counts at the end replace those at the start, unless they are null.
 */
export function finalUsage(atStart: JsonObject, atEnd: JsonObject): JsonObject {
  const reported = Object.entries(atEnd).filter(([name, value]) => value !== null || !(name in atStart));
  return { ...atStart, ...Object.fromEntries(reported) };
}
