import { SearchRecord, type StoredRecord, type StoredSearch } from '@winnow/core';
import { countsTally, millisecondsTally } from '../counting/spread.ts';
import { CountsTally, knownReason, resultsOf } from '../counting/tallies.ts';
import { TopNames } from '../counting/top-names.ts';

/** Searches and their results. */
export type SearchResults = ReturnType<SearchResultsTally['result']>;

/** The number of names of tools to report. */
const MOST_NAMES = 15;
/** Five hidden rounds and the last call with all tools; only a restored request takes more. */
const MOST_CALLS = 6;

/** Gathers `SearchResults`. */
export class SearchResultsTally {
  readonly #tallies = {
    outcomes: new CountsTally<SearchRecord['outcome'] | 'unknown'>(),
    ms: millisecondsTally(),
    /** The number of names of each search that found any. */
    namesFound: countsTally(),
    mostFound: new TopNames(),
  };
  #inVain = 0;

  add(search: StoredSearch): void {
    const { outcomes, ms, namesFound, mostFound } = this.#tallies;
    outcomes.add(knownReason(SearchRecord.shape.outcome, search.outcome));
    ms.add(search.ms);
    if (search.outcome === 'weak' || search.outcome === 'no_match') this.#inVain++;
    if (search.outcome !== 'found') return;
    namesFound.add(search.names.length);
    for (const name of search.names) mostFound.add(name);
  }

  result() {
    const results = resultsOf(this.#tallies, MOST_NAMES);
    return {
      searches: results.ms.count,
      /** Searches without a certain match: too little matched, or nothing. */
      inVain: this.#inVain,
      ...results,
    };
  }
}

/** Gathers the searches of models in arm `full`. */
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

  result() {
    return {
      results: this.#results.result(),
      /** Exchanges whose model could search: some tool was deferred, and the strategy has a search tool. */
      possible: this.#possible,
      exchangesWithSearch: this.#exchangesWithSearch,
      /** The `possible` exchanges by their number of requests to the upstream: 1 is one without a hidden round. */
      upstreamCalls: this.#upstreamCalls.result(),
    };
  }
}

function canSearch({ tools, strategy }: StoredRecord): boolean {
  return tools.deferred > 0 && (strategy === 'api' || strategy === 'tool-search');
}
