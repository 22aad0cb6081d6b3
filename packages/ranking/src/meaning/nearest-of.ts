import type { Pause } from '../pause.ts';
import { type Int8Vector, lengthOf, product } from './int8-vector.ts';
import { MAX_LOOKED_THROUGH, type NearestSearch, type NearTool } from './meaning-source.ts';

/** Vectors that are looked through. */
export interface NearestOf {
  readonly query: Int8Vector;
  /** Positions are below this. */
  readonly count: number;
  /** Undefined for one that is not known. */
  readonly vectorOf: (position: number) => Int8Vector | undefined;
  /** The lengths of vectors by their positions, as far as they were worked out, and 0 elsewhere: filled here, so that whoever keeps them has half the work the next time. */
  readonly lengths?: Float64Array;
  readonly pause: Pause;
}

/** About a quarter of a millisecond of looking. */
const SLICE = 512;

/**
 * The nearest tools by a look at each; undefined when there are too many. Of equals the first ones. Takes half a microsecond a tool, with 384 dimensions, and pauses
 * several times in a millisecond.
 */
export async function nearestOf(
  { query, count, vectorOf, lengths = new Float64Array(count), pause }: NearestOf,
  { most, has, within }: NearestSearch,
): Promise<NearTool[] | undefined> {
  if (within !== undefined && count * query.length > within) return [];
  if (count > MAX_LOOKED_THROUGH) return undefined;
  const queryLength = lengthOf(query);
  const nearest = new Nearest(most);
  for (let position = 0; position < count; position++) {
    if (position > 0 && position % SLICE === 0) await pause();
    if (!has(position)) continue;
    const vector = vectorOf(position);
    if (vector?.length !== query.length) continue;
    lengths[position] ||= lengthOf(vector);
    nearest.add(position, product(query, vector) / (queryLength * lengths[position]!));
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
