/** The 95 % confidence interval of a share, each end from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A part of a whole. `share` and `interval` are absent when `whole` is 0. */
export interface Rate {
  readonly part: number;
  readonly whole: number;
  readonly share?: number;
  readonly interval?: Interval;
}

/** The 97.5th percentile of the normal distribution: 95 % of it lies between -Z and Z. */
export const Z = 1.959963984540054;

/** Returns the rate of `part` in `whole`, with its interval. */
export function rateOf(part: number, whole: number): Rate {
  return whole === 0 ? { part, whole } : { part, whole, share: part / whole, interval: wilson(part, whole) };
}

/** Counts a part of a whole. */
export class RateTally {
  #part = 0;
  #whole = 0;

  /** Adds one item that belongs to the part or does not, or the numbers of several. */
  add(part: boolean | number, whole = 1): void {
    this.#part += Number(part);
    this.#whole += whole;
  }

  result(): Rate {
    return rateOf(this.#part, this.#whole);
  }
}

/**
 * Returns the Wilson score interval. Unlike the usual interval (share ± 2 standard errors), it holds for few observations and for shares
 * near 0: the true share after 0 of 10 may be up to 28 %.
 *
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
 */
export function wilson(part: number, whole: number): Interval {
  const share = part / whole;
  const shrink = 1 + (Z * Z) / whole;
  const middle = (share + (Z * Z) / (2 * whole)) / shrink;
  const half = (Z / shrink) * Math.sqrt((share * (1 - share)) / whole + (Z * Z) / (4 * whole * whole));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/**
 * Returns the 95 % confidence interval of the difference of two shares, `a` less `b`, from -1 to 1. No whole may be 0.
 *
 * Source: R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17 (1998), method 10.
 */
export function differenceInterval(a: Rate, b: Rate): Interval {
  const [shareA, shareB] = [a.share ?? 0, b.share ?? 0];
  const [inA, inB] = [a.interval ?? UNKNOWN, b.interval ?? UNKNOWN];
  const difference = shareA - shareB;
  return {
    low: difference - Math.hypot(shareA - inA.low, inB.high - shareB),
    high: difference + Math.hypot(inA.high - shareA, shareB - inB.low),
  };
}

const UNKNOWN: Interval = { low: 0, high: 1 };
