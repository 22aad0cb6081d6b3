/** A median, and the bounds that the true one lies between. */
export interface MedianInterval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** How surely the true median lies between the bounds. */
const CONFIDENCE = 0.95;

/**
 * The median of measurements that do not depend on each other, and an interval that has the true one with at least 95 %, whatever their
 * distribution is: each lies above the true median or below it as a coin falls, so the bounds are the measurements so far from both ends that
 * fewer heads or tails come in less than 2.5 % of all throws. Of fewer than six, all of them do not suffice for it: the bounds are the extremes.
 *
 * Source: Conover, Practical Nonparametric Statistics, section 3.2, "Confidence interval for a quantile".
 *
 * @throws RangeError of nothing.
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

/** How many measurements lie outside at each end. */
function boundOf(count: number): number {
  const most = (1 - CONFIDENCE) / 2;
  // The chance of exactly `heads` heads, and of so many or fewer.
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
