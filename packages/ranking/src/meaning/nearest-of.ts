import type { Pause } from '../pause.ts';
import { cosine, type Int8Vector } from './int8-vector.ts';
import { MAX_LOOKED_THROUGH, type NearestSearch, type NearTool } from './rank-with-meaning.ts';

/** Vectors that are looked through. */
export interface NearestOf {
  readonly query: Int8Vector;
  /** Positions are below this. */
  readonly count: number;
  /** Undefined for one that is not known. */
  readonly vectorOf: (position: number) => Int8Vector | undefined;
  readonly pause: Pause;
}

/** About a millisecond of looking. */
const SLICE = 512;

/** The nearest tools by a look at each; undefined when there are too many. Of equals the first ones. Pauses every millisecond or so. */
export async function nearestOf(
  { query, count, vectorOf, pause }: NearestOf,
  { most, has }: NearestSearch,
): Promise<NearTool[] | undefined> {
  if (count > MAX_LOOKED_THROUGH) return undefined;
  let nearest: NearTool[] = [];
  for (let position = 0; position < count; position++) {
    if (position > 0 && position % SLICE === 0) {
      nearest = best(nearest, most);
      await pause();
    }
    if (!has(position)) continue;
    const vector = vectorOf(position);
    const near = vector && cosine(query, vector);
    if (near !== undefined) nearest.push({ position, cosine: near });
  }
  return best(nearest, most);
}

function best(tools: readonly NearTool[], most: number): NearTool[] {
  return tools
    .toSorted((left, right) => right.cosine - left.cosine || left.position - right.position)
    .slice(0, most);
}
