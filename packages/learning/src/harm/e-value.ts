export interface AffectedConversation {
  /** Whether its tools were deferred. */
  readonly isInside: boolean;
  /** Probability with which chance had put it inside, above 0 and below 1. */
  readonly probability: number;
}

/** Alternatives: how many times as often conversations with deferred tools are affected. */
const RELATIVE_RISKS = [2, 4, 8];

/**
 * Tests whether deferring harms: an e-process, so that it may be looked at after every conversation.
 *
 * Chance puts conversations inside, so without harm an affected one was put inside with just that probability,
 * whatever their base rate is; if they are `r` times as frequent inside, with `p r / (p r + 1 - p)`. The e-value is the
 * mean of the likelihood ratios for a few `r`. Without harm, the probability that it ever exceeds `1 / a` is at most
 * `a` (Ville's inequality).
 *
 * Source: A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, "Game-theoretic statistics and safe anytime-valid inference",
 * Statistical Science 38 (2023).
 */
export class HarmProcess {
  readonly #logRatios = RELATIVE_RISKS.map(() => 0);

  add(conversation: AffectedConversation): void {
    for (const [at, risk] of RELATIVE_RISKS.entries()) {
      this.#logRatios[at]! += logLikelihood(conversation, risk) - logLikelihood(conversation, 1);
    }
  }

  /** The natural logarithm of the e-value. */
  get logValue(): number {
    return logMean(this.#logRatios);
  }
}

/** Returns the logarithm of the probability of a conversation's arm at a relative risk. */
export function logLikelihood({ isInside, probability }: AffectedConversation, risk: number): number {
  const odds = (probability / (1 - probability)) * risk;
  return isInside ? Math.log(odds / (1 + odds)) : -Math.log(1 + odds);
}

/** Returns the logarithm of the mean of numbers that are given by their logarithms. */
export function logMean(logs: readonly number[]): number {
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / logs.length);
}
