import type { StoredObservation, StoredRecord } from '@winnow/contract';
import { type Counts, CountsTally } from '../counting/counts.ts';
import { type Distribution, DistributionTally } from '../counting/distribution.ts';
import { type Rate, rateOf } from '../counting/rate.ts';
import { TopNames } from '../counting/top-names.ts';
import { isFailure } from './fallbacks.ts';
import { type SearchResults, SearchResultsTally } from './searches.ts';

/** A tool that the model called and the selector had not picked. */
export interface MissedTool {
  readonly name: string;
  readonly missed: number;
  /** How often it was called at all where that could be judged. */
  readonly called: number;
}

/** What was seen in the arms `dark` and `shadow`, where nothing is altered. */
export interface Watching {
  readonly exchanges: number;
  /** `absent`: no observation stands in the record. */
  readonly statuses: Counts<StoredObservation['status'] | 'absent'>;
  /** Of observations that were possible, those dropped because too much waited, and those that a defect ended. */
  readonly dropped: Rate;
  readonly failed: Rate;
  /** Searches beside the requests, for the last user message. */
  readonly searches: SearchResults;
  readonly failedSearches: Rate;
  /** The selector's picks against those of `relevance`. */
  readonly overlap: Distribution;
  readonly jaccard: Distribution;
  readonly rankCorrelation: Distribution;
  /** Exchanges whose model called a deferred tool, by whether at least one of them was not picked. */
  readonly missedExchanges: Rate;
  /** The same, by calls: each tool once per exchange. */
  readonly missedCalls: Rate;
  /** Exchanges with a call that say nothing of the picks, as the search failed: all tools would have been shown. */
  readonly notJudged: number;
  /** The most often missed first. */
  readonly mostMissed: readonly MissedTool[];
  /** False when there were too many names to count them all. */
  readonly areNamesExact: boolean;
}

/** Names of tools that are reported. */
const MOST_NAMES = 15;
/** Points of a distribution: every tenth from 0 to 1, every fifth from -1 to 1. */
const POINTS = 11;

/** Gathers `Watching`. */
export class WatchingTally {
  readonly #statuses = new CountsTally<StoredObservation['status'] | 'absent'>();
  readonly #searches = new SearchResultsTally();
  readonly #overlap = new DistributionTally(0, 1, POINTS);
  readonly #jaccard = new DistributionTally(0, 1, POINTS);
  readonly #rankCorrelation = new DistributionTally(-1, 1, POINTS);
  readonly #missedNames = new TopNames();
  readonly #calledNames = new TopNames();
  #exchanges = 0;
  #failedSearches = 0;
  #judged = 0;
  #judgedCalls = 0;
  #withMiss = 0;
  #missedCalls = 0;
  #notJudged = 0;

  add(record: StoredRecord): void {
    if (record.arm !== 'dark' && record.arm !== 'shadow') return;
    this.#exchanges++;
    this.#statuses.add(record.observation?.status ?? 'absent');
    if (record.observation === undefined) return;
    const { search, agreement } = record.observation;
    if (search !== undefined) {
      this.#searches.add(search);
      if (isFailure(search.outcome)) this.#failedSearches++;
    }
    if (agreement !== undefined) {
      this.#overlap.add(agreement.overlap);
      this.#jaccard.add(agreement.jaccard);
      if (agreement.rankCorrelation !== undefined) this.#rankCorrelation.add(agreement.rankCorrelation);
    }
    this.#addCalls(record.observation);
  }

  result(): Watching {
    const statuses = this.#statuses.result();
    const { done = 0, dropped = 0, failed = 0 } = statuses;
    const searches = this.#searches.result();
    const missed = this.#missedNames.result(MOST_NAMES);
    return {
      exchanges: this.#exchanges,
      statuses,
      dropped: rateOf(dropped, done + dropped + failed),
      failed: rateOf(failed, done + dropped + failed),
      searches,
      failedSearches: rateOf(this.#failedSearches, searches.searches),
      overlap: this.#overlap.result(),
      jaccard: this.#jaccard.result(),
      rankCorrelation: this.#rankCorrelation.result(),
      missedExchanges: rateOf(this.#withMiss, this.#judged),
      missedCalls: rateOf(this.#missedCalls, this.#judgedCalls),
      notJudged: this.#notJudged,
      mostMissed: missed.top.map(({ name, count }) => ({
        name,
        missed: count,
        called: this.#calledNames.countOf(name),
      })),
      areNamesExact: missed.isExact && this.#calledNames.result(0).isExact,
    };
  }

  #addCalls(observation: StoredObservation): void {
    const call = judgeCalls(observation);
    if (call === 'none') return;
    if (call === 'not_judged') {
      this.#notJudged++;
      return;
    }
    this.#judged++;
    this.#judgedCalls += call.called.length;
    this.#missedCalls += call.missed.length;
    if (call.missed.length > 0) this.#withMiss++;
    for (const name of call.called) this.#calledNames.add(name);
    for (const name of call.missed) this.#missedNames.add(name);
  }
}

/** What a model's calls say of the selector's picks. */
export function judgeCalls({
  search,
  called = [],
  wouldHaveMissed = [],
}: StoredObservation): 'none' | 'not_judged' | { called: readonly string[]; missed: readonly string[] } {
  if (called.length === 0) return 'none';
  // Without a search the strategy is `relevance`, whose picks are what would have been shown.
  if (search !== undefined && isFailure(search.outcome)) return 'not_judged';
  return { called, missed: wouldHaveMissed };
}
