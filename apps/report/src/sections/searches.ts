import { SearchRecord, type StoredRecord, type StoredSearch } from '@winnow/contract';
import { type Counts, CountsTally } from '../counting/counts.ts';
import { knownReason } from '../counting/known-reason.ts';
import { countsTally, millisecondsTally, type Spread } from '../counting/spread.ts';
import { type Names, TopNames } from '../counting/top-names.ts';

/** Searches and what they came to. */
export interface SearchResults {
  readonly searches: number;
  readonly outcomes: Counts<SearchRecord['outcome'] | 'unknown'>;
  readonly ms: Spread;
  /** Names per search that found any. */
  readonly namesFound: Spread;
  readonly mostFound: Names;
}

/** What the models searched for in arm `full`. */
export interface Searches {
  readonly results: SearchResults;
  /** Exchanges whose model could search: some tool was deferred, and the strategy has a search tool. */
  readonly possible: number;
  readonly exchangesWithSearch: number;
  /** How many of the `possible` exchanges took how many requests to the upstream: 1 is one without a hidden round. */
  readonly upstreamCalls: Counts<string>;
}

/** Names of tools that are reported. */
const MOST_NAMES = 15;
/** Five hidden rounds and the last call with all tools; more only after a restored request. */
const MOST_CALLS = 6;

/** Gathers `SearchResults`. */
export class SearchResultsTally {
  readonly #outcomes = new CountsTally<SearchRecord['outcome'] | 'unknown'>();
  readonly #ms = millisecondsTally();
  readonly #namesFound = countsTally();
  readonly #mostFound = new TopNames();
  #searches = 0;

  add(search: StoredSearch): void {
    this.#searches++;
    this.#outcomes.add(knownReason(SearchRecord.shape.outcome, search.outcome));
    this.#ms.add(search.ms);
    if (search.outcome !== 'found') return;
    this.#namesFound.add(search.names.length);
    for (const name of search.names) this.#mostFound.add(name);
  }

  result(): SearchResults {
    return {
      searches: this.#searches,
      outcomes: this.#outcomes.result(),
      ms: this.#ms.result(),
      namesFound: this.#namesFound.result(),
      mostFound: this.#mostFound.result(MOST_NAMES),
    };
  }
}

/** Gathers `Searches`. */
export class SearchesTally {
  readonly #results = new SearchResultsTally();
  readonly #upstreamCalls = new CountsTally<string>();
  #possible = 0;
  #exchangesWithSearch = 0;

  add(record: StoredRecord): void {
    if (record.arm !== 'full') return;
    for (const search of record.searches) this.#results.add(search);
    if (record.searches.length > 0) this.#exchangesWithSearch++;
    if (!canSearch(record)) return;
    this.#possible++;
    this.#upstreamCalls.add(
      record.upstreamCalls > MOST_CALLS ? `${MOST_CALLS + 1}+` : String(record.upstreamCalls),
    );
  }

  result(): Searches {
    return {
      results: this.#results.result(),
      possible: this.#possible,
      exchangesWithSearch: this.#exchangesWithSearch,
      upstreamCalls: this.#upstreamCalls.result(),
    };
  }
}

function canSearch({ tools, strategy }: StoredRecord): boolean {
  return tools.deferred > 0 && (strategy === 'api' || strategy === 'tool-search');
}
