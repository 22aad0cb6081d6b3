import type { Observation, StoredRecord, StoredSearch } from '@winnow/core';
import { RateTally, rateOf } from '../counting/rate.ts';
import { CountsTally, resultsOf } from '../counting/tallies.ts';
import { TopNames } from '../counting/top-names.ts';
import { isFailure } from './fallbacks.ts';
import { SearchResultsTally } from './searches.ts';

/** The number of names of tools to report. */
const MOST_NAMES = 15;

/** Gathers observations in the arms `dark` and `shadow`, which alter nothing. */
export class WatchingTally {
  /** `absent`: the record has no observation. */
  readonly #statuses = new CountsTally<Observation['status'] | 'absent'>();
  readonly #tallies = {
    /** Shadow searches, for the last user message. */
    searches: new SearchResultsTally(),
    failedSearches: new RateTally(),
    /** Exchanges with at least one call of a tool that was not picked, of those with a call of a deferred tool. */
    missedExchanges: new RateTally(),
    /** The same by calls, each tool once per exchange. */
    missedCalls: new RateTally(),
  };
  readonly #missedNames = new TopNames();
  readonly #calledNames = new TopNames();
  #notJudged = 0;

  add(record: StoredRecord): void {
    if (record.arm !== 'dark' && record.arm !== 'shadow') return;
    const {
      observation,
      searches: [search],
    } = record;
    this.#statuses.add(observation?.status ?? 'absent');
    if (observation === undefined) return;
    const { searches, failedSearches } = this.#tallies;
    if (search !== undefined) {
      searches.add(search);
      failedSearches.add(isFailure(search.outcome));
    }
    this.#addCalls(observation, search);
  }

  result() {
    const statuses = this.#statuses.result();
    const { done = 0, dropped = 0, failed = 0, not_applicable = 0, absent = 0 } = statuses;
    const possible = done + dropped + failed;
    const missed = this.#missedNames.result(MOST_NAMES);
    return {
      exchanges: possible + not_applicable + absent,
      statuses,
      /** Possible observations that were dropped because too many waited. */
      dropped: rateOf(dropped, possible),
      /** Possible observations that a defect ended. */
      failed: rateOf(failed, possible),
      ...resultsOf(this.#tallies),
      /** Exchanges with a call that do not judge the picks: the search failed, so all tools would have been shown. */
      notJudged: this.#notJudged,
      /** Tools that the model called and the selector had not picked; the most often missed first. */
      mostMissed: missed.top.map(({ name, count }) => ({
        name,
        missed: count,
        /** The number of judged calls of the tool. */
        called: this.#calledNames.countOf(name),
      })),
      /** False when there were too many names to count them all. */
      areNamesExact: missed.isExact && this.#calledNames.result(0).isExact,
    };
  }

  #addCalls(observation: Observation, search: StoredSearch | undefined): void {
    const { missedExchanges, missedCalls } = this.#tallies;
    const call = judgeCalls(observation, search);
    if (call === 'not_judged') this.#notJudged++;
    if (typeof call === 'string') return;
    missedExchanges.add(call.missed.length > 0);
    missedCalls.add(call.missed.length, call.called.length);
    for (const name of call.called) this.#calledNames.add(name);
    for (const name of call.missed) this.#missedNames.add(name);
  }
}

/** Returns the called and the missed tools of an observation, or why its calls do not judge the selector's picks. */
export function judgeCalls(
  { called = [], wouldHaveMissed = [] }: Observation,
  search: StoredSearch | undefined,
): 'none' | 'not_judged' | { called: readonly string[]; missed: readonly string[] } {
  if (called.length === 0) return 'none';
  // Without a search the strategy is `relevance`, whose picks would have been shown.
  if (search !== undefined && isFailure(search.outcome)) return 'not_judged';
  return { called, missed: wouldHaveMissed };
}
