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

/** A cluster whose items fall into strata: one part for each. */
export type StratifiedCluster = readonly Cluster[];

/**
 * Returns the mean per item as if the strata had these shares of all items, with its linearised variance. Only clusters are taken as
 * independent; items of one cluster may resemble each other. The shares sum to 1; a stratum with a share has items. Returns undefined without
 * a cluster that has items.
 *
 * Source: W. G. Cochran, "Sampling Techniques", 3rd ed. (1977), sections 5A.9 and 6.3.
 */
export function stratifiedMean(
  all: Iterable<StratifiedCluster>,
  shares: readonly number[],
): ClusterMean | undefined {
  const counts = (cluster: StratifiedCluster) =>
    cluster.some(({ items }, at) => items > 0 && shares[at]! > 0);
  const clusters = [...all].filter(counts);
  if (clusters.length === 0) return undefined;
  const totals = totalsOf(clusters, shares.length);
  const means = totals.map(({ sum, items }) => (items === 0 ? 0 : sum / items));
  const over = (valueAt: (at: number) => number) =>
    shares.reduce((total, share, at) => (share === 0 ? total : total + share * valueAt(at)), 0);
  const squares = clusters.reduce((total, cluster) => {
    const residual = over((at) => (cluster[at]!.sum - means[at]! * cluster[at]!.items) / totals[at]!.items);
    return total + residual ** 2;
  }, 0);
  const count = clusters.length;
  return {
    clusters: count,
    items: totals.reduce((total, { items }, at) => (shares[at]! > 0 ? total + items : total), 0),
    mean: over((at) => means[at]!),
    variance: count < 2 ? Number.POSITIVE_INFINITY : (count / (count - 1)) * squares,
  };
}

/** Returns sum and items of each stratum. */
export function totalsOf(clusters: Iterable<StratifiedCluster>, strata: number): Cluster[] {
  const totals = Array.from({ length: strata }, () => ({ sum: 0, items: 0 }));
  for (const cluster of clusters) {
    for (const [at, { sum, items }] of cluster.entries()) {
      totals[at]!.sum += sum;
      totals[at]!.items += items;
    }
  }
  return totals;
}
