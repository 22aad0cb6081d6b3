/** A list of durations in a few numbers, in the unit of the list. */
export interface TimeSummary {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Mean, percentiles, minimum and maximum of durations; all zero when there are none. */
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

/** The arithmetic mean; 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The middle value by nearest rank; 0 of nothing. */
export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((left, right) => left - right),
    0.5,
  );
}

/** The values below which such shares of all values lie, by nearest rank; zeros of nothing. */
export function quantiles(values: readonly number[], shares: readonly number[]): number[] {
  const sorted = values.toSorted((left, right) => left - right);
  return shares.map((share) => percentile(sorted, share));
}

/** Nearest rank: the smallest value that at least that share of the values does not exceed. It was really measured. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
