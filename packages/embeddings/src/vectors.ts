import { hash } from 'node:crypto';
import {
  type Int8Vector,
  MAX_NUMBERS_LOOKED_AT,
  type NearestSearch,
  type NearTool,
  nearestOf,
  type Pause,
  VectorTable,
} from '@winnow/ranking';
import { RecentMap } from '@winnow/service';

/** A key, a map slot and an array header, in bytes. */
const ENTRY_BYTES = 250;

/** 128 bits of a SHA-256. */
const KEY_CHARS = 32;

/** Returns the key of a text's vector; collisions cannot be constructed. */
export function keyOf(text: string): string {
  return hash('sha256', text).slice(0, KEY_CHARS);
}

/**
 * The most recently used vectors of one model, by the hash of their texts, in bounded memory. All have the
 * same dimensions.
 */
export class VectorCache {
  readonly #maxBytes: number;
  #vectors: RecentMap<string, Int8Vector>;
  #dimensions: number | undefined;
  #era: object = {};

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#vectors = this.#empty();
  }

  get size(): number {
    return this.#vectors.size;
  }

  get bytes(): number {
    return this.#vectors.weight;
  }

  /** The identity of the content: while it is the same object, each key means the same vector. */
  get era(): object {
    return this.#era;
  }

  get(key: string): Int8Vector | undefined {
    return this.#vectors.get(key);
  }

  /** Returns a vector without marking it as used, for scans over all tools. */
  peek(key: string): Int8Vector | undefined {
    return this.#vectors.peek(key);
  }

  /** Adds the vectors; or returns false and adds none, if one has other dimensions than the kept ones. */
  add(entries: readonly (readonly [key: string, vector: Int8Vector])[]): boolean {
    const dimensions = this.#dimensions ?? entries[0]?.[1].length;
    if (entries.some(([, vector]) => vector.length !== dimensions)) return false;
    this.#dimensions = dimensions;
    for (const [key, vector] of entries) this.#vectors.set(key, vector);
    return true;
  }

  /** Removes everything, because the model seems to have changed. */
  clear(): void {
    this.#vectors = this.#empty();
    this.#dimensions = undefined;
    this.#era = {};
  }

  #empty(): RecentMap<string, Int8Vector> {
    return new RecentMap(Number.POSITIVE_INFINITY, { most: this.#maxBytes, weigh: weightOf });
  }
}

function weightOf(_key: string, vector: Int8Vector): number {
  return vector.byteLength + ENTRY_BYTES;
}

/** The nearest texts, and whether all texts that can have a vector have one. */
export interface NearestFound {
  readonly nearest: readonly NearTool[];
  readonly isComplete: boolean;
}

/** Dependencies of the scan. */
export interface NearestKnownOptions {
  readonly vectors: VectorCache;
  /** Memory for tables of vectors, in bytes. */
  readonly maxBytes: number;
  /** Yields to other work. */
  readonly pause: Pause;
  /** Whether a text has no vector because the embedder rejected it. */
  readonly isRefused: (key: string) => boolean;
}

/** A table, and the source of its vectors. */
interface Kept {
  readonly table: VectorTable;
  readonly era: object;
}

/**
 * Scans the known vectors. Those of the most recently searched catalogues are contiguous in tables, in
 * bounded memory; all others are looked up one by one.
 */
export class NearestKnown {
  readonly #options: NearestKnownOptions;
  readonly #tables: RecentMap<number, Kept>;
  /** Ids of text sources, held weakly: only searches keep the sources alive. */
  readonly #ids = new WeakMap<object, number>();
  #lastId = 0;

  constructor(options: NearestKnownOptions) {
    this.#options = options;
    this.#tables = new RecentMap(Number.POSITIVE_INFINITY, {
      most: options.maxBytes,
      weigh: (_, { table }) => table.bytes,
    });
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#tables.weight;
  }

  /** Finds the nearest texts; undefined if there are too many to scan. */
  async find(query: Int8Vector, texts: Texts, search: NearestSearch): Promise<NearestFound | undefined> {
    const { vectors, pause, isRefused } = this.#options;
    let isComplete = true;
    const vectorOf = (position: number) => {
      const text = texts.textOf(position);
      const key = text === undefined ? undefined : keyOf(text);
      const known = key === undefined ? undefined : vectors.peek(key);
      isComplete &&= known !== undefined || key === undefined || isRefused(key);
      return known;
    };
    const table = this.#tableOf(texts, query.length);
    const parts = { query, count: texts.count, vectorOf, pause, ...(table && { table }) };
    const nearest = await nearestOf(parts, search);
    return nearest && { nearest, isComplete };
  }

  #tableOf({ table: of, count }: Texts, dimensions: number): VectorTable | undefined {
    if (count * dimensions > MAX_NUMBERS_LOOKED_AT) return undefined;
    const { era } = this.#options.vectors;
    const id = this.#ids.get(of) ?? ++this.#lastId;
    this.#ids.set(of, id);
    const kept = this.#tables.get(id);
    const isOfUse = kept !== undefined && kept.era === era && kept.table.dimensions === dimensions;
    if (isOfUse && count <= kept.table.room) return kept.table;
    const table = isOfUse ? kept.table.withRoom(count) : new VectorTable(dimensions, count);
    this.#tables.set(id, { table, era });
    return table;
  }
}

/** Texts by number, from 0. Retained while they are being learnt. */
export interface Texts {
  readonly count: number;
  /** Undefined for a text that no longer exists. */
  textOf(position: number): string | undefined;
  /** The identity of the numbering: while it is the same object, each number means the same text. */
  readonly table: object;
}
