import type { Interval } from './rate.ts';

/** What one cluster, such as a conversation, has come to: a sum over so many items. */
export interface Cluster {
  readonly sum: number;
  readonly items: number;
}

/** A mean per item, and how well it is known when clusters, not items, were drawn by chance. */
export interface ClusterMean {
  readonly clusters: number;
  readonly items: number;
  readonly mean: number;
  readonly variance: number;
}

/** Clusters that an interval takes at least: below, the normal distribution is too far from the truth. */
export const FEWEST_CLUSTERS = 30;

/** The 97.5th percentile of the normal distribution, for 95 % between both ends. */
const Z = 1.959963984540054;

/**
 * The mean over the items of all clusters, a ratio of two sums, with its linearised variance. Items of one cluster may resemble each other
 * as much as they like: only clusters are taken for independent. Undefined without an item.
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

/** Where the difference of two means, `a` less `b`, lies with 95 % confidence; undefined when there is too little to tell. */
export function meanDifferenceInterval(a: ClusterMean, b: ClusterMean): Interval | undefined {
  if (Math.min(a.clusters, b.clusters) < FEWEST_CLUSTERS) return undefined;
  const half = Z * Math.sqrt(a.variance + b.variance);
  const difference = a.mean - b.mean;
  return { low: difference - half, high: difference + half };
}
