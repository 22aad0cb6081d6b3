import type { RolloutArm } from '@winnow/core';
import { FEWEST_CLUSTERS } from './counting/means.ts';
import { differenceInterval, type Rate, rateOf, wilson } from './counting/rate.ts';
import { NO_VALUES, type Spread } from './counting/spread.ts';
import type { RolloutStep } from './rollout-step.ts';
import type { MeasuredCost } from './sections/money.ts';
import { savedShare, type ToolUse } from './sections/tools.ts';
import type { Sections } from './sections.ts';
import { savedWords } from './tables/money-part.ts';
import { formatCount, formatLimit, formatMs, formatRate, formatShare } from './text/format.ts';

/**
 * The limits of the verdict; docs/operations/report.md gives the reason of each. They are defaults for teams
 * without their own limits: the report shows every number with its limit, so that readers can apply others.
 */
export const THRESHOLDS = {
  /** Exchanges whose model called a deferred tool that the selector had not picked. */
  missedShare: 0.1,
  /** Searches that failed, so that all tools were shown. */
  failedSearchShare: 0.01,
  /** Observations dropped because too much waited to be watched. */
  droppedShare: 0.05,
  /** Observations ended by a defect. */
  defectShare: 0.01,
  /** Exchanges whose original bytes had to be sent after the edited ones. */
  restoredShare: 0.01,
  /** Models' searches that found nothing, or too little: some of them for tools that exist. */
  vainShare: 0.05,
  /** Exchanges whose model searched in vain and then called nothing, or called a tool that it could not see. */
  withoutToolShare: 0.02,
  /** Exchanges with a search that was not answered, because the limit was reached. */
  limitedShare: 0.02,
  /** Exchanges in which the session store could not be read or written. */
  sessionErrorShare: 0.01,
  /** Exchanges that failed: no 2xx response, or not a whole one. */
  failedShare: 0.01,
  /** The failures allowed in addition to those of the other arms that alter nothing. */
  extraFailureShare: 0.01,
  /** The 95th percentile of a shadow search, which a model would wait for. */
  searchP95Ms: 500,
  /** 95th percentile of the time that clients wait for the proxy's own work. */
  addedP95Ms: 300,
  /** Share of the tools' tokens that is saved at least. */
  savedShare: 0.1,
  /** Largest share by which an exchange may cost more with deferring, while a loss is not sure. */
  dearerShare: 0.02,
  /** With fewer values, a 95th percentile or a saving means nothing. */
  fewestValues: 200,
} as const;

/** The effect of one number on the next step: allows it, leaves it open for lack of data, or blocks it. */
export type FindingState = 'clear' | 'unclear' | 'against';

/** One number, and the limit that it was compared with. */
export interface Finding {
  readonly state: FindingState;
  readonly subject: string;
  readonly value: string;
  readonly limit: string;
}

/** The numbers that matter for leaving a step, or for staying at the last one. */
export function findingsFor(step: RolloutStep, sections: Sections): Finding[] {
  return [failureFinding(step, sections), ...stepFindings(step, sections)];
}

function stepFindings(step: RolloutStep, sections: Sections): Finding[] {
  switch (step) {
    case 'off':
      return [];
    case 'dark':
      return watchFindings(sections);
    case 'shadow':
      return [
        ...watchFindings(sections),
        missedFinding(sections),
        savingFinding('would be saved', sections.tools.watched),
      ];
    case 'partial':
      return [...changeFindings(step, sections), missedFinding(sections)];
    case 'full':
      return changeFindings(step, sections);
    default:
      return step satisfies never;
  }
}

/**
 * Whether all exchanges were of the strategy `relevance`: then no amount of traffic shows anything about
 * searches.
 */
function isWithoutSearch({ traffic }: Sections): boolean {
  return Object.keys(traffic.strategies).join() === 'relevance';
}

function watchFindings(sections: Sections): Finding[] {
  const { dropped, failed, failedSearches, searches } = sections.watching;
  const observing = [
    rateFinding('Observations dropped because too many waited', dropped, THRESHOLDS.droppedShare),
    rateFinding('Observations ended by a defect', failed, THRESHOLDS.defectShare),
  ];
  if (isWithoutSearch(sections)) return observing;
  return [
    rateFinding('Searches alongside requests that failed', failedSearches, THRESHOLDS.failedSearchShare),
    ...observing,
    percentileFinding('Search alongside a request, p95', searches.ms, THRESHOLDS.searchP95Ms),
  ];
}

/**
 * The strategy `relevance` has no search: each deferred tool that was called counts as missed, so that all exchanges with one would have
 * missed it. The share of all that were watched says more.
 */
function missedFinding(sections: Sections): Finding {
  const isOneShot = isWithoutSearch(sections);
  const { missedExchanges, statuses } = sections.watching;
  return rateFinding(
    `Exchanges that would have missed a tool${isOneShot ? ', of all watched' : ''}`,
    isOneShot ? rateOf(missedExchanges.part, statuses.done ?? 0) : missedExchanges,
    THRESHOLDS.missedShare,
  );
}

function changeFindings(step: 'partial' | 'full', sections: Sections): Finding[] {
  const { fallbacks, latency, tools } = sections;
  const added = latency.full?.added ?? NO_VALUES;
  const searching = [
    rateFinding("Models' searches that failed", fallbacks.failedSearches, THRESHOLDS.failedSearchShare),
    rateFinding('Searches that found nothing, or too little', fallbacks.vain, THRESHOLDS.vainShare),
    rateFinding(
      'Exchanges whose model did not get a tool',
      fallbacks.withoutTool,
      THRESHOLDS.withoutToolShare,
    ),
    rateFinding('Searching exchanges that met the limit', fallbacks.limited, THRESHOLDS.limitedShare),
  ];
  const money = moneyFinding(step, sections);
  return [
    ...(money === undefined ? [] : [money]),
    ...(isWithoutSearch(sections) ? [] : searching),
    rateFinding('Exchanges restored to the original request', fallbacks.restored, THRESHOLDS.restoredShare),
    rateFinding('Exchanges with session store errors', fallbacks.sessionErrors, THRESHOLDS.sessionErrorShare),
    percentileFinding('Added latency, p95', added, THRESHOLDS.addedP95Ms),
    savingFinding('saved', tools.changed),
  ];
}

/** Above or below the limit only if the whole interval is: few observations decide nothing. */
function rateFinding(subject: string, rate: Rate, limit: number): Finding {
  const state = stateOf(rate.interval, limit);
  const more = state === 'unclear' ? moreFor(rate, limit) : undefined;
  return {
    state,
    subject,
    value: rate.whole === 0 ? 'none seen' : formatRate(rate),
    limit: `at most ${formatLimit(limit)}${more === undefined ? '' : `; about ${formatCount(more)} more decide, if the share stays`}`,
  };
}

/** Most observations to ask for: with more, the share is too near the limit to decide. */
const MOST_NEEDED = 100_000;

/**
 * Returns the number of further observations after which the interval would lie on one side of the limit, if the
 * share stayed as it is; undefined if the share is too near the limit. In steps of a tenth, as it is an estimate.
 */
export function moreFor({ part, whole }: Rate, limit: number): number | undefined {
  const share = whole === 0 ? 0 : part / whole;
  for (let needed = Math.max(10, whole); needed < MOST_NEEDED; needed = Math.ceil(needed * 1.1)) {
    if (stateOf(wilson(share * needed, needed), limit) !== 'unclear') return needed - whole;
  }
  return undefined;
}

function stateOf(interval: Rate['interval'], limit: number): FindingState {
  if (interval === undefined) return 'unclear';
  if (interval.high <= limit) return 'clear';
  return interval.low > limit ? 'against' : 'unclear';
}

function percentileFinding(subject: string, { count, p95 }: Spread, limitMs: number): Finding {
  const state = p95 > limitMs ? 'against' : 'clear';
  return {
    state: count < THRESHOLDS.fewestValues ? 'unclear' : state,
    subject,
    value: count === 0 ? 'none seen' : `${formatMs(p95)} of ${formatCount(count)}`,
    limit: `at most ${formatMs(limitMs)}, of ${THRESHOLDS.fewestValues} or more${missingValues(count)}`,
  };
}

/** Says how many values are missing. */
function missingValues(count: number): string {
  return count >= THRESHOLDS.fewestValues ? '' : `: ${formatCount(THRESHOLDS.fewestValues - count)} more`;
}

/** The saving of watched exchanges covers first requests only; searches would reduce it. */
function savingFinding(verb: 'saved' | 'would be saved', { tokens, good }: ToolUse): Finding {
  const aside = verb === 'saved' ? '' : ', searches aside';
  const share = savedShare(tokens);
  const state = (share ?? 0) < THRESHOLDS.savedShare ? 'against' : 'clear';
  return {
    state: good < THRESHOLDS.fewestValues || share === undefined ? 'unclear' : state,
    subject: `Tokens of tools that ${verb === 'saved' ? 'are saved' : verb}, estimated`,
    value:
      share === undefined ? 'none seen' : `${formatShare(share)} over ${formatCount(good)} exchanges${aside}`,
    limit: `at least ${formatLimit(THRESHOLDS.savedShare)}, over ${THRESHOLDS.fewestValues} or more${missingValues(good)}`,
  };
}

/** The arm that a step's verdict is about. */
const JUDGED: Readonly<Record<RolloutStep, RolloutArm>> = {
  off: 'off',
  dark: 'dark',
  shadow: 'shadow',
  partial: 'full',
  full: 'full',
};

/** Arms whose requests and responses pass unaltered: how often they fail is the upstream's share. */
const UNALTERED: readonly RolloutArm[] = ['off', 'dark', 'shadow'];

/**
 * Failures may be 1 %, or 1 point more than in the other arms that alter nothing, whichever is larger. In
 * `partial` both run side by side over randomly assigned sessions, which is a fair comparison.
 */
function failureFinding(step: RolloutStep, { traffic: { failures } }: Sections): Finding {
  const arm = JUDGED[step];
  const judged = failures[arm] ?? rateOf(0, 0);
  const others = UNALTERED.filter((one) => one !== arm).flatMap((one) => failures[one] ?? []);
  const elsewhere = others.reduce(
    (sum, { part, whole }) => rateOf(sum.part + part, sum.whole + whole),
    rateOf(0, 0),
  );
  const compared = elsewhere.whole === 0 ? '' : ` against ${formatRate(elsewhere)} unaltered`;
  return {
    state: failureState(judged, elsewhere),
    subject: `Failed exchanges of arm ${arm}`,
    value: judged.whole === 0 ? 'none seen' : `${formatRate(judged)}${compared}`,
    limit: `at most ${formatLimit(THRESHOLDS.failedShare)}, or ${formatPoints(THRESHOLDS.extraFailureShare)} more than unaltered ones`,
  };
}

function failureState(judged: Rate, elsewhere: Rate): FindingState {
  const alone = stateOf(judged.interval, THRESHOLDS.failedShare);
  if (alone !== 'against' && alone !== 'unclear') return alone;
  if (judged.whole === 0 || elsewhere.whole === 0) return alone;
  const compared = stateOf(differenceInterval(judged, elsewhere), THRESHOLDS.extraFailureShare);
  // Only values certainly beyond both limits are too high; keeping either limit is enough.
  if (compared === 'clear') return 'clear';
  return alone === 'against' && compared === 'against' ? 'against' : 'unclear';
}

function formatPoints(share: number): string {
  const points = share * 100;
  return `${points} ${points === 1 ? 'point' : 'points'}`;
}

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
    state: isComparable ? costState(interval.low / shadow.mean, interval.high / shadow.mean) : 'unclear',
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

function costState(low: number, high: number): FindingState {
  if (low > 0) return 'against';
  return high <= THRESHOLDS.dearerShare ? 'clear' : 'unclear';
}

function signedShare(share: number): string {
  return `${share > 0 ? '+' : share < 0 ? '−' : ''}${formatShare(Math.abs(share))}`;
}
