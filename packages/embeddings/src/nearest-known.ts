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

/** The nearest texts, and whether the vectors of all are known that can be. */
export interface NearestFound {
  readonly nearest: readonly NearTool[];
  readonly isComplete: boolean;
}

/** What looking through vectors takes from around it. */
export interface NearestKnownOptions {
  readonly vectors: VectorCache;
  /** Memory for tables of them. */
  readonly maxBytes: number;
  /** Lets others have their turn. */
  readonly pause: Pause;
  /** Whether a text has no vector because the embedder will not have it. */
  readonly isRefused: (key: string) => boolean;
}

/** A table, and what its vectors are of. */
interface Kept {
  readonly table: VectorTable;
  readonly era: object;
}

/**
 * Looks through the vectors that are known. Those of the catalogues that were searched last lie side by side in tables, in bounded memory; elsewhere each is looked up.
 */
export class NearestKnown {
  readonly #options: NearestKnownOptions;
  readonly #tables: RecentMap<number, Kept>;
  /** What texts are of is held by those who search alone. */
  readonly #ids = new WeakMap<object, number>();
  #lastId = 0;

  constructor(options: NearestKnownOptions) {
    this.#options = options;
    this.#tables = new RecentMap(Number.POSITIVE_INFINITY, {
      most: options.maxBytes,
      weigh: (_, { table }) => table.bytes,
    });
  }

  /** Memory held. */
  get bytes(): number {
    return this.#tables.weight;
  }

  /** Undefined when there are too many to look at each. */
  async find(query: Int8Vector, texts: Texts, search: NearestSearch): Promise<NearestFound | undefined> {
    const { vectors, pause, isRefused } = this.#options;
    let isComplete = true;
    const vectorOf = (position: number) => {
      const text = texts.textOf(position);
      const key = text === undefined ? undefined : keyOf(text);
      const known = key === undefined ? undefined : vectors.peek(key);
      isComplete &&= known !== undefined || (key !== undefined && isRefused(key));
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
