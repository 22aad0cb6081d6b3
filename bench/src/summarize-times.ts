/** A summary of durations, in the unit of the list. */
export interface TimeSummary {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Returns mean, percentiles, minimum and maximum of durations; all zero for an empty list. */
export function summarizeTimes(times: readonly number[]): TimeSummary {
  const sorted = times.toSorted((left, right) => left - right);
  return {
    count: sorted.length,
    mean: mean(sorted),
    min: sorted[0] ?? 0,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1) ?? 0,
  };
}

/** Returns the arithmetic mean; 0 for an empty list. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the median by nearest rank; 0 for an empty list. */
export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((left, right) => left - right),
    0.5,
  );
}

/** Returns percentiles for the given shares, by nearest rank; zeros for an empty list. */
export function quantiles(values: readonly number[], shares: readonly number[]): number[] {
  const sorted = values.toSorted((left, right) => left - right);
  return shares.map((share) => percentile(sorted, share));
}

/**
 * Nearest rank: the smallest value that is not exceeded by at least that share of the values. It is always a
 * measured value.
 */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
