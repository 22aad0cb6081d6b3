/** A median with bounds for the true one. */
export interface MedianInterval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Confidence that the true median lies between the bounds. */
const CONFIDENCE = 0.95;

/**
 * Returns the median of independent measurements, and an interval that contains the true median with at least
 * 95 % confidence, whatever their distribution. Each measurement lies above or below the true median like a
 * fair coin, so the bounds are the measurements so far from both ends that fewer heads or tails occur in less
 * than 2.5 % of all series. Fewer than six measurements do not suffice: the bounds are then the extremes.
 *
 * Source: Conover, Practical Nonparametric Statistics, section 3.2, "Confidence interval for a quantile".
 *
 * @throws RangeError for an empty list.
 */
export function medianInterval(values: readonly number[]): MedianInterval {
  if (values.length === 0) throw new RangeError('nothing has no median');
  const sorted = values.toSorted((left, right) => left - right);
  const count = sorted.length;
  const middle = count >> 1;
  const median = count % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  const bound = boundOf(count);
  return { median, low: sorted[bound]!, high: sorted[count - 1 - bound]! };
}

/** Returns the number of measurements outside the interval at each end. */
function boundOf(count: number): number {
  const most = (1 - CONFIDENCE) / 2;
  // The probability of exactly `heads` heads, and of at most that many.
  let exactly = 0.5 ** count;
  let atMost = exactly;
  let outside = 0;
  for (let heads = 1; atMost <= most && heads < count; heads += 1) {
    outside = heads - 1;
    exactly *= (count - heads + 1) / heads;
    atMost += exactly;
  }
  return outside;
}
