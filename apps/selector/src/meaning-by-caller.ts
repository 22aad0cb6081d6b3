import type { MeaningGap } from '@winnow/core';
import type { SearchMeaning } from '@winnow/embeddings';
import {
  type Int8Vector,
  MAX_LOOKED_THROUGH,
  MAX_NUMBERS_LOOKED_AT,
  nearestOf,
  type Pause,
  toInt8Vector,
  VectorTable,
} from '@winnow/ranking';
import type { CachedCatalogue } from './catalogues/catalogue-cache.ts';
import { toolBytes } from './catalogues/tool-places.ts';

/**
 * Meaning from the vectors of a caller with its own model: the query's vector is in the search, the tools'
 * vectors are in their text. They are parsed when a search needs them, and kept as long as the catalogue, in
 * a fraction of their text's memory.
 */
export function meaningByCaller(
  cached: CachedCatalogue,
  queryVector: readonly number[],
  pause: Pause,
): SearchMeaning {
  const query = toInt8Vector(queryVector);
  const { vectorOf, tableOf } = vectorsIn(cached);
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
      if (count <= MAX_LOOKED_THROUGH) await readAll({ cached, has: search.has, pause }, vectorOf);
      const noted = (position: number) => {
        const vector = vectorOf(position);
        if (lacks(vector)) degraded = 'missing_vectors';
        return vector;
      };
      const table = tableOf(query.length);
      const nearest = await nearestOf(
        { query, count, vectorOf: noted, ...(table && { table }), pause },
        search,
      );
      return nearest?.length === 0 ? undefined : nearest;
    },
  };
}

/** The vectors of one catalogue's tools. */
interface CallerVectors {
  /** By position; null for a tool without a vector. */
  readonly read: (Int8Vector | null)[];
  /** A table for scans, of the dimensions that were searched last. */
  table?: VectorTable;
  readonly toolAt: (position: number) => number;
}

const known = new WeakMap<CachedCatalogue, CallerVectors>();

function vectorsIn(cached: CachedCatalogue) {
  const { tools, places, catalogue } = cached;
  const vectors: CallerVectors = known.get(cached) ?? { read: [], toolAt: placeOf(catalogue.order) };
  known.set(cached, vectors);
  const { read, toolAt } = vectors;
  return {
    vectorOf(position: number): Int8Vector | undefined {
      if (places === undefined) return undefined;
      read[position] ??= readVector(toolBytes(tools, places.offsets, toolAt(position))) ?? null;
      return read[position] ?? undefined;
    },
    /** Undefined if the table would take more memory than the vectors: a few of them may be far apart. */
    tableOf(dimensions: number): VectorTable | undefined {
      if (catalogue.positions * dimensions > MAX_NUMBERS_LOOKED_AT) return undefined;
      if (vectors.table?.dimensions !== dimensions)
        vectors.table = new VectorTable(dimensions, catalogue.positions);
      return vectors.table;
    },
  };
}

/** Number of tools to parse per slice: a vector of many dimensions takes most of a millisecond. */
const READ_AT_ONCE = 16;

/** Parses all missing vectors before a scan. */
async function readAll(
  { cached, has, pause }: { cached: CachedCatalogue; has: (position: number) => boolean; pause: Pause },
  vectorOf: (position: number) => Int8Vector | undefined,
): Promise<void> {
  const { read } = known.get(cached)!;
  let count = 0;
  for (let position = 0; position < cached.catalogue.positions; position++) {
    if (read[position] !== undefined || !has(position)) continue;
    vectorOf(position);
    count++;
    if (count % READ_AT_ONCE === 0) await pause();
  }
}

/** Returns a function from positions to tool numbers. */
function placeOf(order: Uint32Array | undefined): (position: number) => number {
  if (order === undefined) return (position) => position;
  const places = new Map(Array.from(order, (position, place) => [position, place]));
  return (position) => places.get(position)!;
}

/** Parses a vector that was validated on arrival. */
function readVector(bytes: Buffer): Int8Vector | undefined {
  const { vector } = JSON.parse(bytes.toString()) as { readonly vector?: unknown };
  return Array.isArray(vector) ? toInt8Vector(vector) : undefined;
}
