import { RestoreReason, SearchFailure, type StoredRecord } from '@winnow/core';
import { RateTally } from '../counting/rate.ts';
import { CountsTally, isGood, knownReason, resultsOf } from '../counting/tallies.ts';
import { TopNames } from '../counting/top-names.ts';

/** The number of causes of failed searches to report. */
const MOST_CAUSES = 10;

/** Collects fallbacks in arm `full`. For a client, none is a failure. */
export class FallbacksTally {
  readonly #tallies = {
    /** Searches that failed, so that all tools were shown, of those whose client had not left. */
    failedSearches: new RateTally(),
    failedSearchReasons: new CountsTally<SearchFailure | 'unknown'>(),
    /** The same with the selector's status or the system's code, if there is one: `api_error 401`. */
    failedSearchCauses: new TopNames(),
    /** Exchanges that deferred and had at least one failed search. */
    failedOpen: new RateTally(),
    /** Exchanges that deferred and then had to send the original bytes. */
    restored: new RateTally(),
    restoredReasons: new CountsTally<RestoreReason | 'unknown'>(),
    /** Searches that found nothing or too little, of those that were answered. */
    vain: new RateTally(),
    /** Deferring exchanges whose model got no tool: it gave up after such a search, or called a tool it could not see. */
    withoutTool: new RateTally(),
    /** Searching exchanges with an unanswered search, because the model had searched often enough. */
    limited: new RateTally(),
    /** Exchanges in which the session store could not be read or written. */
    sessionErrors: new RateTally(),
  };

  add(record: StoredRecord): void {
    if (record.arm !== 'full') return;
    const { sessionErrors, failedOpen, restored, restoredReasons } = this.#tallies;
    const { searches, restoredBecause } = record;
    sessionErrors.add(record.sessionErrors > 0);
    this.#addSearches(record);
    if (record.tools.deferred === 0) return;
    failedOpen.add(searches.some(({ outcome }) => isFailure(outcome) && outcome !== 'client_gone'));
    restored.add(restoredBecause !== undefined);
    if (isGood(record)) this.#tallies.withoutTool.add(hasNoTool(record));
    if (restoredBecause !== undefined) restoredReasons.add(knownReason(RestoreReason, restoredBecause));
  }

  result() {
    return resultsOf(this.#tallies, MOST_CAUSES);
  }

  #addSearches({ searches }: StoredRecord): void {
    const { failedSearches, failedSearchReasons, failedSearchCauses, limited, vain } = this.#tallies;
    if (searches.length > 0) limited.add(searches.some(({ outcome }) => outcome === 'limit'));
    for (const { outcome, cause } of searches) {
      if (outcome === 'client_gone') continue;
      failedSearches.add(isFailure(outcome));
      if (!isFailure(outcome) && outcome !== 'limit') vain.add(outcome !== 'found');
      if (!isFailure(outcome)) continue;
      const reason = knownReason(SearchFailure, outcome);
      failedSearchReasons.add(reason);
      failedSearchCauses.add(cause === undefined ? reason : `${reason} ${cause}`);
    }
  }
}

/** Whether the model searched in vain at last and then called nothing, or called a tool that it could not see. */
function hasNoTool({ searches, called = [], unseen = [] }: StoredRecord): boolean {
  if (unseen.length > 0) return true;
  const last = searches.at(-1)?.outcome;
  return called.length === 0 && (last === 'no_match' || last === 'weak' || last === 'limit');
}

/** Outcomes that are not failures. An outcome that only a newer proxy knows is most likely a failure. */
const GOOD: ReadonlySet<string> = new Set(['found', 'weak', 'no_match', 'limit']);

/** Whether a search failed, so that all tools are shown. */
export function isFailure(outcome: string): boolean {
  return !GOOD.has(outcome);
}
