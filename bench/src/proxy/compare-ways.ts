import { median } from '../summarize-times.ts';

/** The time difference between two ways. */
export interface Comparison {
  /**
   * The difference of their medians in each part of the samples, in milliseconds; the median of all parts.
   */
  readonly differenceMs: number;
  /** The largest difference in any part, in either direction. */
  readonly spreadMs: number;
}

const PARTS = 10;

/**
 * Compares two lists of times that were measured alternately, part by part, so that other load on the machine
 * affects both.
 */
export function compareWays(times: readonly number[], others: readonly number[]): Comparison {
  const size = Math.max(1, Math.floor(times.length / PARTS));
  const differences: number[] = [];
  for (let start = 0; start + size <= times.length; start += size) {
    const end = start + size;
    differences.push(median(times.slice(start, end)) - median(others.slice(start, end)));
  }
  return {
    differenceMs: median(differences),
    spreadMs: Math.max(0, ...differences.map(Math.abs)),
  };
}
