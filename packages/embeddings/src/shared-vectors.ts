import type { Int8Vector } from '@winnow/ranking';
import type { VectorEntry } from './vector-text.ts';

/**
 * The vectors of tools that several processes with one model share.
 *
 * Contract: nothing throws or rejects, and calls return quickly. Vectors that are not found are computed
 * again. Results were written by others and may have any dimensions.
 */
export interface SharedVectors {
  /** Finds vectors, in the order of the keys; undefined where none is readable. */
  find(keys: readonly string[]): Promise<readonly (Int8Vector | undefined)[]>;
  /** Stores vectors for other processes. */
  keep(entries: readonly VectorEntry[]): void;
  close(): void;
}
