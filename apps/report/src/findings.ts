import type { ExchangeOutcome } from '@winnow/contract';
import { type Counts, sumOf } from './counting/counts.ts';
import { differenceInterval, type Rate, rateOf } from './counting/rate.ts';
import type { Spread } from './counting/spread.ts';
import type { RolloutStep } from './rollout-step.ts';
import { savedShare, type ToolUse } from './sections/tools.ts';
import type { Sections } from './sections.ts';
import { formatCount, formatLimit, formatMs, formatRate, formatShare } from './text/format.ts';
import { THRESHOLDS } from './thresholds.ts';

/** What one number says of the next step: nothing against it, not enough is known, or something is. */
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
      return [...changeFindings(sections), failureFinding(sections), missedFinding(sections)];
    case 'full':
      return changeFindings(sections);
    default:
      return step satisfies never;
  }
}

/** Whether all exchanges were of the strategy `relevance`: no amount of traffic tells of searches then. */
function isWithoutSearch({ traffic }: Sections): boolean {
  return Object.keys(traffic.strategies).join() === 'relevance';
}

function watchFindings(sections: Sections): Finding[] {
  const { dropped, failed, failedSearches, searches } = sections.watching;
  const observing = [
    rateFinding('Observations dropped, as too much waited', dropped, THRESHOLDS.droppedShare),
    rateFinding('Observations ended by a defect', failed, THRESHOLDS.defectShare),
  ];
  if (isWithoutSearch(sections)) return observing;
  return [
    rateFinding('Searches beside requests that failed', failedSearches, THRESHOLDS.failedSearchShare),
    ...observing,
    percentileFinding('Search beside a request, p95', searches.ms, THRESHOLDS.searchP95Ms),
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

function changeFindings(sections: Sections): Finding[] {
  const { fallbacks, latency, tools } = sections;
  const added = latency.full?.added ?? NO_VALUES;
  const searching = [
    rateFinding("Models' searches that failed", fallbacks.failedSearches, THRESHOLDS.failedSearchShare),
    rateFinding('Searching exchanges that met the limit', fallbacks.limited, THRESHOLDS.limitedShare),
  ];
  return [
    ...(isWithoutSearch(sections) ? [] : searching),
    rateFinding('Exchanges restored to the original request', fallbacks.restored, THRESHOLDS.restoredShare),
    rateFinding('Exchanges with session store errors', fallbacks.sessionErrors, THRESHOLDS.sessionErrorShare),
    percentileFinding('Added latency, p95', added, THRESHOLDS.addedP95Ms),
    savingFinding('saved', tools.changed),
  ];
}

const NO_VALUES: Spread = { count: 0, mean: 0, p50: 0, p95: 0, p99: 0, max: 0 };

/** Above the limit only when the whole interval is, below it likewise: few observations decide nothing. */
function rateFinding(subject: string, rate: Rate, limit: number): Finding {
  return {
    state: stateOf(rate.interval, limit),
    subject,
    value: rate.whole === 0 ? 'none seen' : formatRate(rate),
    limit: `at most ${formatLimit(limit)}`,
  };
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
    limit: `at most ${formatMs(limitMs)}, of ${THRESHOLDS.fewestValues} or more`,
  };
}

/** What would be saved is known of first requests only: searches, which nobody has made, would take some of it. */
function savingFinding(verb: 'saved' | 'would be saved', { tokens, exchanges }: ToolUse): Finding {
  const aside = verb === 'saved' ? '' : ', searches aside';
  const share = savedShare(tokens);
  const state = (share ?? 0) < THRESHOLDS.savedShare ? 'against' : 'clear';
  return {
    state: exchanges < THRESHOLDS.fewestValues || share === undefined ? 'unclear' : state,
    subject: `Tokens of tools that ${verb === 'saved' ? 'are saved' : verb}, estimated`,
    value:
      share === undefined
        ? 'none seen'
        : `${formatShare(share)} over ${formatCount(exchanges)} exchanges${aside}`,
    limit: `at least ${formatLimit(THRESHOLDS.savedShare)}, over ${THRESHOLDS.fewestValues} or more`,
  };
}

/** Both arms run side by side in `partial`, over sessions chosen by chance: a fair comparison. */
function failureFinding({ traffic }: Sections): Finding {
  const full = failureRate([traffic.outcomes.full]);
  const watched = failureRate([traffic.outcomes.shadow, traffic.outcomes.dark]);
  const isKnown = full.whole > 0 && watched.whole > 0;
  return {
    state: stateOf(isKnown ? differenceInterval(full, watched) : undefined, THRESHOLDS.extraFailureShare),
    subject: 'Failed exchanges, changed against unchanged',
    value: isKnown ? `${formatRate(full)} against ${formatRate(watched)}` : 'one side is missing',
    limit: `at most ${formatLimit(THRESHOLDS.extraFailureShare)} more`,
  };
}

function failureRate(outcomes: readonly (Counts<ExchangeOutcome> | undefined)[]): Rate {
  const sum = (count: (counts: Counts<ExchangeOutcome>) => number) =>
    outcomes.reduce((total, counts) => total + (counts === undefined ? 0 : count(counts)), 0);
  return rateOf(
    sum(({ failed = 0 }) => failed),
    sum((counts) => sumOf(counts) - (counts.client_gone ?? 0)),
  );
}
