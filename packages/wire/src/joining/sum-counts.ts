import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/**
 * What two calls used together, as if they had been one.
 *
 * Numbers add up at every depth, so that a count which a provider adds later is summed without being known here; null
 * and absent mean "not reported" and add nothing; lists, which have an entry for each call, follow each other; of anything
 * else the later value stands.
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
