import { type Interval, Z } from './rate.ts';

/** A cluster of items, such as a conversation: their sum and their number. */
export interface Cluster {
  readonly sum: number;
  readonly items: number;
}

/** A mean per item, and its variance when clusters, not items, were drawn by chance. */
export interface ClusterMean {
  readonly clusters: number;
  readonly items: number;
  readonly mean: number;
  readonly variance: number;
}

/** The least number of clusters for an interval: with fewer, the normal distribution is too far off. */
const FEWEST_CLUSTERS = 30;

/**
 * Returns the mean over the items of all clusters, a ratio of two sums, with its linearised variance. Only clusters are taken as
 * independent; items of one cluster may resemble each other. Returns undefined without an item.
 *
 * Source: W. G. Cochran, "Sampling Techniques", 3rd ed. (1977), sections 6.3 and 9A.2.
 */
export function clusterMean(all: Iterable<Cluster>): ClusterMean | undefined {
  const clusters = [...all].filter(({ items }) => items > 0);
  const items = clusters.reduce((total, cluster) => total + cluster.items, 0);
  if (items === 0) return undefined;
  const mean = clusters.reduce((total, { sum }) => total + sum, 0) / items;
  const squares = clusters.reduce((total, cluster) => total + (cluster.sum - mean * cluster.items) ** 2, 0);
  const count = clusters.length;
  const variance = count < 2 ? Number.POSITIVE_INFINITY : ((count / (count - 1)) * squares) / items ** 2;
  return { clusters: count, items, mean, variance };
}

/** Returns the 95 % confidence interval of the difference of two means, `a` less `b`; undefined with too few clusters. */
export function meanDifferenceInterval(a: ClusterMean, b: ClusterMean): Interval | undefined {
  if (Math.min(a.clusters, b.clusters) < FEWEST_CLUSTERS) return undefined;
  const half = Z * Math.sqrt(a.variance + b.variance);
  const difference = a.mean - b.mean;
  return { low: difference - half, high: difference + half };
}
