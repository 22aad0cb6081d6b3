import { RestoreReason, SearchFailure, type StoredRecord } from '@winnow/contract';
import { type Counts, CountsTally } from '../counting/counts.ts';
import { knownReason } from '../counting/known-reason.ts';
import { type Rate, rateOf } from '../counting/rate.ts';
import { type Names, TopNames } from '../counting/top-names.ts';

/** How often Winnow gave way, in arm `full`. None of it is a failure for a client. */
export interface Fallbacks {
  /** Searches that failed, so that all tools were shown. Those whose client had left are in neither number. */
  readonly failedSearches: Rate;
  readonly failedSearchReasons: Counts<SearchFailure | 'unknown'>;
  /** The same with the selector's status or the system's code, where there was one: `api_error 401`. */
  readonly failedSearchCauses: Names;
  /** Exchanges that deferred and had at least one failed search. */
  readonly failedOpen: Rate;
  /** Exchanges that deferred and whose original bytes had to be sent after the edited ones. */
  readonly restored: Rate;
  readonly restoredReasons: Counts<RestoreReason | 'unknown'>;
  /** Exchanges with a search of which one was not answered, because the model had searched often enough. */
  readonly limited: Rate;
  /** Exchanges in which the session store could not be read or written. */
  readonly sessionErrors: Rate;
}

/** Causes of failed searches that are reported. */
const MOST_CAUSES = 10;

/** Gathers `Fallbacks`. */
export class FallbacksTally {
  readonly #searchReasons = new CountsTally<SearchFailure | 'unknown'>();
  readonly #searchCauses = new TopNames();
  readonly #restoredReasons = new CountsTally<RestoreReason | 'unknown'>();
  #exchanges = 0;
  #deferring = 0;
  #searches = 0;
  #failedSearches = 0;
  #failedOpen = 0;
  #restored = 0;
  #searching = 0;
  #limited = 0;
  #withSessionErrors = 0;

  add(record: StoredRecord): void {
    if (record.arm !== 'full') return;
    this.#exchanges++;
    if (record.sessionErrors > 0) this.#withSessionErrors++;
    this.#addSearches(record);
    if (record.tools.deferred === 0) return;
    this.#deferring++;
    if (record.searches.some(({ outcome }) => isFailure(outcome) && outcome !== 'client_gone'))
      this.#failedOpen++;
    if (record.restoredBecause === undefined) return;
    this.#restored++;
    this.#restoredReasons.add(knownReason(RestoreReason, record.restoredBecause));
  }

  result(): Fallbacks {
    return {
      failedSearches: rateOf(this.#failedSearches, this.#searches),
      failedSearchReasons: this.#searchReasons.result(),
      failedSearchCauses: this.#searchCauses.result(MOST_CAUSES),
      failedOpen: rateOf(this.#failedOpen, this.#deferring),
      restored: rateOf(this.#restored, this.#deferring),
      restoredReasons: this.#restoredReasons.result(),
      limited: rateOf(this.#limited, this.#searching),
      sessionErrors: rateOf(this.#withSessionErrors, this.#exchanges),
    };
  }

  #addSearches({ searches }: StoredRecord): void {
    if (searches.length === 0) return;
    this.#searching++;
    if (searches.some(({ outcome }) => outcome === 'limit')) this.#limited++;
    for (const { outcome, status, cause } of searches) {
      if (outcome === 'client_gone') continue;
      this.#searches++;
      if (!isFailure(outcome)) continue;
      this.#failedSearches++;
      const reason = knownReason(SearchFailure, outcome);
      this.#searchReasons.add(reason);
      this.#searchCauses.add([reason, status, cause].filter((part) => part !== undefined).join(' '));
    }
  }
}

/** Outcomes that are no failures. What a newer proxy adds is most likely one more way to fail. */
const GOOD: ReadonlySet<string> = new Set(['found', 'no_match', 'limit']);

/** Whether a search ended in one of the reasons for which all tools are shown. */
export function isFailure(outcome: string): boolean {
  return !GOOD.has(outcome);
}
