import type { Pause } from '../ranker.ts';

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

/**
 * A direction in the space of an embedding model, with integer components from -127 to 127: one byte per
 * dimension, and as good for ranking as the model's own numbers. The largest component is always 127 or -127,
 * so that a vector is never zero.
 */
export type Int8Vector = Int8Array;

const MAX_COMPONENT = 127;

/** Maximum number of dimensions; the largest models of 2026 have 4,096. */
export const MAX_DIMENSIONS = 8_192;

/**
 * Returns the vector of a model's numbers; undefined if there are none or too many, or if they are all zero
 * or not all finite.
 */
export function toInt8Vector(values: ArrayLike<unknown>): Int8Vector | undefined {
  if (values.length === 0 || values.length > MAX_DIMENSIONS) return undefined;
  let largest = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) return undefined;
  const vector = new Int8Array(values.length);
  // Divides first, because scaling the smallest floating-point numbers would overflow.
  for (let at = 0; at < values.length; at++)
    vector[at] = Math.round(((values[at] as number) / largest) * MAX_COMPONENT);
  return vector;
}

/** Returns the cosine of the angle between two vectors, -1 to 1; undefined if their dimensions differ. */
export function cosine(left: Int8Vector, right: Int8Vector): number | undefined {
  if (left.length !== right.length) return undefined;
  return dotProduct(left, right) / (lengthOf(left) * lengthOf(right));
}

/**
 * Returns the dot product of a vector and another one of the same dimensions, possibly within a larger array.
 *
 * Four parallel integer sums take less than half the time of one floating-point sum. None can overflow 32
 * bits: 8,192 times 127² is 2²⁷.
 */
export function dotProduct(vector: Int8Vector, numbers: Int8Array, from = 0): number {
  const dimensions = vector.length;
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let at = 0;
  for (; at + 3 < dimensions; at += 4) {
    first = (first + Math.imul(vector[at]!, numbers[from + at]!)) | 0;
    second = (second + Math.imul(vector[at + 1]!, numbers[from + at + 1]!)) | 0;
    third = (third + Math.imul(vector[at + 2]!, numbers[from + at + 2]!)) | 0;
    fourth = (fourth + Math.imul(vector[at + 3]!, numbers[from + at + 3]!)) | 0;
  }
  for (; at < dimensions; at++) first += vector[at]! * numbers[from + at]!;
  return first + second + third + fourth;
}

/** Returns the Euclidean length, above 0. */
export function lengthOf(vector: Int8Vector): number {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += vector[at]! * vector[at]!;
  return Math.sqrt(squares);
}

/**
 * Returns the nearness of a tool to a query: their cosine or, for a query that asks for several things, the
 * mean of that and the cosine with the nearest sentence. A tool that does one of these things completely then
 * ranks above one that is slightly related to all of them.
 *
 * Undefined for a tool of another model.
 */
export function nearnessTo({
  query,
  sentences = [],
}: Pick<MeaningVectors, 'query' | 'sentences'>): (tool: Int8Vector) => number | undefined {
  return (tool) => {
    const whole = cosine(query, tool);
    const parts = sentences.map((sentence) => cosine(sentence, tool)).filter((part) => part !== undefined);
    return whole === undefined || parts.length === 0 ? whole : (whole + Math.max(...parts)) / 2;
  };
}

/** Growth factor of a larger table. */
const SPARE = 1.25;

/**
 * Vectors of one model by position, contiguous in one array, with their lengths: scanning them takes a
 * quarter of the time of scattered vectors.
 */
export class VectorTable {
  readonly dimensions: number;
  readonly #numbers: Int8Array;
  /** Holds 0 for a missing vector; no vector has that length. */
  readonly #lengths: Float64Array;

  /** @param room number of positions to reserve. */
  constructor(dimensions: number, room: number) {
    this.dimensions = dimensions;
    this.#numbers = new Int8Array(room * dimensions);
    this.#lengths = new Float64Array(room);
  }

  /** Upper bound of positions. */
  get room(): number {
    return this.#lengths.length;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#numbers.byteLength + this.#lengths.byteLength;
  }

  has(position: number): boolean {
    return position < this.room && this.#lengths[position] !== 0;
  }

  /** Stores a copy; ignores vectors of other dimensions or beyond the room. */
  set(position: number, vector: Int8Vector): void {
    if (vector.length !== this.dimensions || position >= this.room) return;
    this.#numbers.set(vector, position * this.dimensions);
    this.#lengths[position] = lengthOf(vector);
  }

  /**
   * Returns a table with the same vectors and room for `count` and some more, so that a table that grows by
   * one tool at a time is not copied each time.
   */
  withRoom(count: number): VectorTable {
    const larger = new VectorTable(this.dimensions, Math.max(count, Math.ceil(SPARE * this.room)));
    larger.#numbers.set(this.#numbers);
    larger.#lengths.set(this.#lengths);
    return larger;
  }

  /** Returns the cosine of a vector of these dimensions and the one at a position, which must be present. */
  cosine(vector: Int8Vector, length: number, position: number): number {
    const product = dotProduct(vector, this.#numbers, position * this.dimensions);
    return product / (length * this.#lengths[position]!);
  }
}
