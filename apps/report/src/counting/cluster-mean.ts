import { type Interval, Z } from './rate.ts';

/** A cluster of items, such as a conversation: their sum and their number. */
export interface Cluster {
  readonly sum: number;
  readonly items: number;
}

/** A mean per item, and its variance when clusters, not items, were drawn at random. */
export interface ClusterMean {
  readonly clusters: number;
  readonly items: number;
  readonly mean: number;
  readonly variance: number;
}

/** Minimum number of clusters for an interval: with fewer, the normal distribution is too far off. */
export const FEWEST_CLUSTERS = 30;

/** Returns the 95 % confidence interval of the difference of two means, `a` less `b`; undefined with too few clusters. */
export function meanDifferenceInterval(a: ClusterMean, b: ClusterMean): Interval | undefined {
  if (Math.min(a.clusters, b.clusters) < FEWEST_CLUSTERS) return undefined;
  const half = Z * Math.sqrt(a.variance + b.variance);
  const difference = a.mean - b.mean;
  return { low: difference - half, high: difference + half };
}
