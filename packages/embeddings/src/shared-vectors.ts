import type { Int8Vector } from '@winnow/ranking';
import type { VectorEntry } from './vector-text.ts';

/**
 * The vectors of tools that several processes with one model share.
 *
 * Contract: nothing here throws or rejects, and nobody waits long. What cannot be had is worked out again; what comes was written by others, and is a vector of any
 * dimensions.
 */
export interface SharedVectors {
  /** In the order of the keys; undefined where there is none that can be read. */
  find(keys: readonly string[]): Promise<readonly (Int8Vector | undefined)[]>;
  /** Has vectors kept for others. */
  keep(entries: readonly VectorEntry[]): void;
  close(): void;
}
