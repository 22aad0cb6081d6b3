import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/**
 * Returns the usage of two calls together, as if they had been one.
 *
 * Numbers are added at every depth, so that new counts of a provider are summed, too. Null and absent mean
 * "not reported" and add nothing. Lists, which have an entry for each call, are concatenated. For any other
 * value, the later one counts.
 */
export function sumCounts(earlier: JsonObject, later: JsonObject): JsonObject {
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return Object.fromEntries([...names].map((name) => [name, sum(earlier[name], later[name])]));
}

function sum(earlier: unknown, later: unknown): unknown {
  if (later === undefined || later === null) return earlier ?? later;
  if (typeof earlier === 'number' && typeof later === 'number') return earlier + later;
  if (Array.isArray(earlier) && Array.isArray(later)) return [...earlier, ...later];
  return isJsonObject(earlier) && isJsonObject(later) ? sumCounts(earlier, later) : later;
}
