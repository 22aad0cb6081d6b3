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
import type { Texts } from './texts.ts';
import { keyOf, type VectorCache } from './vector-cache.ts';

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
