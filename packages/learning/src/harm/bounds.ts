import { type AffectedConversation, logLikelihood, logMean } from './e-value.ts';

/** Error probability of a bound. */
const BOUND_ERROR = 0.05;

/** Relative risks, from 1/64 to 64. */
const RISKS = Array.from({ length: 49 }, (_, at) => 2 ** ((at - 24) / 4));

/**
 * Returns the upper bound of a share, from 0 to 1, that holds at all times with probability `1 - error`: a confidence
 * sequence by a beta mixture (prior Beta(1/2, 1/2)).
 *
 * Source: H. Robbins, "Statistical methods related to the law of the iterated logarithm", Ann. Math. Stat. 41 (1970).
 */
export function shareBound(part: number, whole: number, error = BOUND_ERROR): number {
  if (whole === 0 || part === whole) return 1;
  const mixture = logBeta(part + 0.5, whole - part + 0.5) - logBeta(0.5, 0.5);
  const isPossible = (share: number) =>
    mixture - part * Math.log(share) - (whole - part) * Math.log1p(-share) < -Math.log(error);
  return lastPossible(isPossible, part / whole, 1);
}

/**
 * Returns the upper bound of the share of conversations that deferring affects on top of those affected without it: the
 * bound of the share inside, times the part of it that the bound of the relative risk leaves to deferring. Each takes
 * half of `error`.
 */
export function excessBound(
  affected: readonly AffectedConversation[],
  insideCount: number,
  error = BOUND_ERROR,
): number {
  const affectedInside = affected.filter(({ isInside }) => isInside).length;
  const share = shareBound(affectedInside, insideCount, error / 2);
  const risk = riskBound(affected, error / 2);
  return risk <= 1 ? 0 : share * (1 - 1 / risk);
}

/** Returns the upper bound of the relative risk; infinite if none is excluded. */
function riskBound(affected: readonly AffectedConversation[], error: number): number {
  const logsAt = (risk: number) =>
    affected.reduce((sum, conversation) => sum + logLikelihood(conversation, risk), 0);
  const mixture = logMean(RISKS.map(logsAt));
  const possible = RISKS.filter((risk) => mixture - logsAt(risk) < -Math.log(error));
  const most = possible.at(-1);
  if (most === undefined || most === RISKS.at(-1)) return Number.POSITIVE_INFINITY;
  return RISKS[RISKS.indexOf(most) + 1]!;
}

const STEPS = 50;

/** Bisects between `from`, which is possible, and `to`, which is not. */
function lastPossible(isPossible: (value: number) => boolean, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (isPossible(middle)) low = middle;
    else high = middle;
  }
  return high;
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Stirling's series, shifted to arguments above 10, where three terms give 9 digits (DLMF 5.11.1). */
function logGamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < 10; at++) shift += Math.log(at);
  const series = 1 / (12 * at) - 1 / (360 * at ** 3) + 1 / (1260 * at ** 5);
  return (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
