import type { JsonObject } from '../json/json-splice.ts';

/**
 * The usage of one call whose counts arrive twice: at its start, and again, cumulative, at its end.
 *
 * The end's counts replace those of the start, except where the end reports null.
 */
export function finalUsage(atStart: JsonObject, atEnd: JsonObject): JsonObject {
  const reported = Object.entries(atEnd).filter(([name, value]) => value !== null || !(name in atStart));
  return { ...atStart, ...Object.fromEntries(reported) };
}
