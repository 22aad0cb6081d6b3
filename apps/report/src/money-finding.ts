import { FEWEST_CLUSTERS } from './counting/cluster-mean.ts';
import type { Finding, FindingState } from './finding.ts';
import type { MeasuredCost } from './sections/money.ts';
import type { Sections } from './sections.ts';
import { savedWords } from './tables/money-part.ts';
import { formatCount, formatShare } from './text/format.ts';
import { THRESHOLDS } from './thresholds.ts';

/**
 * Returns the effect of a step on money: the difference measured between the arms of `partial`, or else the
 * estimate. Undefined if nothing could be priced.
 */
export function moneyFinding(step: 'partial' | 'full', { money }: Sections): Finding | undefined {
  if (money.measured !== undefined) return measuredFinding(money.measured);
  if (step === 'partial') return money.pricedModels.total === 0 ? undefined : UNMEASURED;
  const { exchanges, low, high } = money.estimated;
  if (exchanges === 0) return undefined;
  return {
    state: high.saved < 0 ? 'against' : low.saved < 0 ? 'unclear' : 'clear',
    subject: 'Money by deferring, estimated',
    value: `${savedWords(money)}, ${formatCount(exchanges)} exchanges`,
    limit: 'no loss',
  };
}

const MEASURED_SUBJECT = 'Cost of an exchange with deferring, measured';
const MEASURED_LIMIT = `at most ${formatShare(THRESHOLDS.dearerShare)} more than without, of 30 conversations or more in each arm`;

const UNMEASURED: Finding = {
  state: 'unclear',
  subject: MEASURED_SUBJECT,
  value: '0 exchanges priced in one of the arms',
  limit: MEASURED_LIMIT,
};

/** A sure loss of any size blocks the step; a possible loss up to the limit does not. */
function measuredFinding({ full, shadow, difference, interval, isFair }: MeasuredCost): Finding {
  const isComparable = isFair && interval !== undefined && shadow.mean > 0;
  return {
    state: isComparable ? stateOf(interval.low / shadow.mean, interval.high / shadow.mean) : 'unclear',
    subject: MEASURED_SUBJECT,
    value: isComparable
      ? `${signedShare(difference / shadow.mean)} (${signedShare(interval.low / shadow.mean)} to ${signedShare(interval.high / shadow.mean)})`
      : `not comparable yet: ${ofThirty(full.sessions)} with deferring, ${ofThirty(shadow.sessions)} without`,
    limit: MEASURED_LIMIT,
  };
}

/** `26 of 30 conversations`: how far an arm is. */
function ofThirty(sessions: number): string {
  return `${formatCount(Math.min(sessions, FEWEST_CLUSTERS))} of ${FEWEST_CLUSTERS} conversations`;
}

function stateOf(low: number, high: number): FindingState {
  if (low > 0) return 'against';
  return high <= THRESHOLDS.dearerShare ? 'clear' : 'unclear';
}

function signedShare(share: number): string {
  return `${share > 0 ? '+' : share < 0 ? '−' : ''}${formatShare(Math.abs(share))}`;
}
