import type { Pause } from '../pause.ts';
import { cosine, type Int8Vector, lengthOf } from './int8-vector.ts';
import { MAX_LOOKED_THROUGH, type NearestSearch, type NearTool } from './meaning-source.ts';
import type { VectorTable } from './vector-table.ts';

/** Vectors that are looked through. */
export interface NearestOf {
  readonly query: Int8Vector;
  /** Positions are below this. */
  readonly count: number;
  /** Undefined for one that is not known. Asked for what the table does not have. */
  readonly vectorOf: (position: number) => Int8Vector | undefined;
  /** Of the query's dimensions; filled here, so that whoever keeps it has a quarter of the work the next time. Without one, vectors are looked at where they are. */
  readonly table?: VectorTable;
  readonly pause: Pause;
}

/** About a quarter of a millisecond of looking, with 384 dimensions. */
const SLICE = 512;

/**
 * The nearest tools by a look at each; undefined when there are too many. Of equals the first ones. Takes half a microsecond a tool, with 384 dimensions, and pauses
 * now and then.
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

/** The nearest so far. */
class Nearest {
  readonly #most: number;
  /** Twice as many as are wanted, at most. */
  #tools: NearTool[] = [];
  /** What is not nearer than this is not among them. */
  #least = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
  }

  /** Positions come in their order. */
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
