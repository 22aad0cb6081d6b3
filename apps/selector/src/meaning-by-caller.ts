import type { MeaningGap } from '@winnow/core';
import type { SearchMeaning } from '@winnow/embeddings';
import {
  type Int8Vector,
  MAX_NUMBERS_LOOKED_AT,
  nearestOf,
  type Pause,
  toInt8Vector,
  VectorTable,
} from '@winnow/ranking';
import type { CachedCatalogue } from './catalogues.ts';

/**
 * Meaning from the vectors of a caller with its own model: the query's vector is in the search, the tools'
 * vectors came with the tools.
 */
export function meaningByCaller(
  cached: CachedCatalogue,
  queryVector: readonly number[],
  pause: Pause,
): SearchMeaning {
  const query = toInt8Vector(queryVector);
  const vectorOf = (position: number) => cached.vectors?.[position];
  const { positions: count } = cached.catalogue;
  let wasAsked = false;
  let degraded: MeaningGap | undefined;
  const lacks = (vector: Int8Vector | undefined) => vector?.length !== query?.length;
  return {
    get wasAsked() {
      return wasAsked;
    },
    get degraded() {
      return degraded;
    },
    async vectorsOf(_, positions) {
      wasAsked = true;
      const tools = positions.map(vectorOf);
      if (tools.some(lacks)) degraded = 'missing_vectors';
      return query === undefined || tools.every(lacks) ? undefined : { query, tools };
    },
    async nearest(_, search) {
      wasAsked = true;
      if (query === undefined) return undefined;
      const { within = Number.POSITIVE_INFINITY } = search;
      if (count * query.length > within) return [];
      const noted = (position: number) => {
        const vector = vectorOf(position);
        if (lacks(vector)) degraded = 'missing_vectors';
        return vector;
      };
      const table = tableOf(cached, query.length);
      const nearest = await nearestOf(
        { query, count, vectorOf: noted, ...(table && { table }), pause },
        search,
      );
      return nearest?.length === 0 ? undefined : nearest;
    },
  };
}

/** Tables for scans, by catalogue, of the dimensions that were searched last. */
const tables = new WeakMap<CachedCatalogue, VectorTable>();

/** Returns a table for scans; undefined if it would take much memory: a few vectors may be far apart. */
function tableOf(cached: CachedCatalogue, dimensions: number): VectorTable | undefined {
  const { positions } = cached.catalogue;
  if (positions * dimensions > MAX_NUMBERS_LOOKED_AT) return undefined;
  const latest = tables.get(cached);
  if (latest?.dimensions === dimensions) return latest;
  const table = new VectorTable(dimensions, positions);
  tables.set(cached, table);
  return table;
}
