/** Where the true share lies with 95 % confidence, each end from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** So many of so many. `share` and `interval` are absent when `whole` is 0: nothing is known then. */
export interface Rate {
  readonly part: number;
  readonly whole: number;
  readonly share?: number;
  readonly interval?: Interval;
}

/** The 97.5th percentile of the normal distribution, for 95 % between both ends. */
const Z = 1.959963984540054;

/** The rate of `part` in `whole`, with its interval. */
export function rateOf(part: number, whole: number): Rate {
  return whole === 0 ? { part, whole } : { part, whole, share: part / whole, interval: wilson(part, whole) };
}

/**
 * The Wilson score interval. Unlike the usual one (share ± 2 standard errors) it holds for few observations and for shares near 0: none in
 * ten is up to 28 %, not 0 %.
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
 * Where the difference of two shares, `a` less `b`, lies with 95 % confidence; from -1 to 1. Both must have a whole.
 *
 * Source: R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17 (1998), method 10.
 */
export function differenceInterval(a: Rate, b: Rate): Interval {
  const [shareA, shareB] = [a.share ?? 0, b.share ?? 0];
  const [inA, inB] = [a.interval ?? NOTHING_KNOWN, b.interval ?? NOTHING_KNOWN];
  const difference = shareA - shareB;
  return {
    low: difference - Math.hypot(shareA - inA.low, inB.high - shareB),
    high: difference + Math.hypot(inA.high - shareA, shareB - inB.low),
  };
}

const NOTHING_KNOWN: Interval = { low: 0, high: 1 };
