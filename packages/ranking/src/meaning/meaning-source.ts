import type { Pause } from '../ranker.ts';
import { cosine, type Int8Vector, lengthOf, type VectorTable } from './vectors.ts';

/** The vectors of one search, all of one model. */
export interface MeaningVectors {
  readonly query: Int8Vector;
  /** Vectors of the query's `tellingSentences`; absent if it has none, or they are unknown. */
  readonly sentences?: readonly Int8Vector[];
  /** In the order of the requested positions; undefined for a tool without a known vector. */
  readonly tools: readonly (Int8Vector | undefined)[];
}

/**
 * A source of vectors for one search.
 *
 * Contract: a rejection rejects the search; sources of services never reject. Returns undefined if vectors
 * are not available in time; the ranking then uses keywords only.
 */
export interface MeaningSource {
  vectorsOf(query: string, positions: readonly number[]): Promise<MeaningVectors | undefined>;
  /**
   * Returns the tools nearest to the query, among those that `has` admits and whose vectors are known,
   * nearest first. Undefined if the query's vector is not available in time, or there are too many tools to
   * scan. A source without this function never scans.
   */
  nearest?(query: string, search: NearestSearch): Promise<readonly NearTool[] | undefined>;
}

export interface NearestSearch {
  /** Maximum number of tools to return. */
  readonly most: number;
  readonly has: (position: number) => boolean;
  /**
   * Maximum number of vector components to scan; unlimited by default. A larger source is not scanned: it
   * returns no tools, and that does not count as missing vectors.
   */
  readonly within?: number;
}

export interface NearTool {
  readonly position: number;
  readonly cosine: number;
}

/** Catalogues with more tools are not scanned. */
export const MAX_LOOKED_THROUGH = 20_000;

/**
 * Minimum cosine for a near tool to count: chosen for small sentence models, whose unrelated texts stay below
 * it.
 */
export const LEAST_COSINE = 0.25;

/** Vectors to scan. */
export interface NearestOf {
  readonly query: Int8Vector;
  /** Upper bound of positions. */
  readonly count: number;
  /** Returns the vector at a position, if known. Called for vectors missing from the table. */
  readonly vectorOf: (position: number) => Int8Vector | undefined;
  /**
   * A table of the query's dimensions, filled during the scan; keeping it makes the next scan four times as
   * fast. Without one, vectors are read from where they are.
   */
  readonly table?: VectorTable;
  readonly pause: Pause;
}

/** Tools per slice: about a quarter of a millisecond at 384 dimensions. */
const SLICE = 512;

/**
 * Returns the nearest tools by a full scan; undefined if there are too many. Ties keep their order. Takes
 * half a microsecond per tool at 384 dimensions, and pauses regularly.
 */
export async function nearestOf(
  { query, count, vectorOf, table, pause }: NearestOf,
  { most, has, within }: NearestSearch,
): Promise<NearTool[] | undefined> {
  if (within !== undefined && count * query.length > within) return [];
  if (count > MAX_LOOKED_THROUGH) return undefined;
  const queryLength = lengthOf(query);
  const nearest = new Nearest(most);
  for (let position = 0; position < count; position++) {
    if (position > 0 && position % SLICE === 0) await pause();
    if (!has(position)) continue;
    if (table?.has(position)) {
      nearest.add(position, table.cosine(query, queryLength, position));
      continue;
    }
    const vector = vectorOf(position);
    const near = vector && cosine(query, vector);
    if (near === undefined) continue;
    table?.set(position, vector!);
    nearest.add(position, near);
  }
  return nearest.best();
}

/** The nearest tools so far. */
class Nearest {
  readonly #most: number;
  /** At most twice the requested number. */
  #tools: NearTool[] = [];
  /** Tools below this cosine are not among them. */
  #least = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a tool; positions must ascend. */
  add(position: number, cosine: number): void {
    if (cosine <= this.#least) return;
    this.#tools.push({ position, cosine });
    if (this.#tools.length < 2 * this.#most) return;
    this.#tools = this.best();
    this.#least = this.#tools.at(-1)!.cosine;
  }

  best(): NearTool[] {
    return this.#tools
      .toSorted((left, right) => right.cosine - left.cosine || left.position - right.position)
      .slice(0, this.#most);
  }
}
