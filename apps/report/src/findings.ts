import type { RolloutArm } from '@winnow/core';
import { differenceInterval, type Rate, rateOf, wilson } from './counting/rate.ts';
import { NO_VALUES, type Spread } from './counting/spread.ts';
import type { Finding, FindingState } from './finding.ts';
import { moneyFinding } from './money-finding.ts';
import type { RolloutStep } from './rollout-step.ts';
import { savedShare, type ToolUse } from './sections/tools.ts';
import type { Sections } from './sections.ts';
import { formatCount, formatLimit, formatMs, formatRate, formatShare } from './text/format.ts';
import { THRESHOLDS } from './thresholds.ts';

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
const MOST_NEEDED = 1_000_000;

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
