import type { Observation, SearchRecord } from '@winnow/contract';
import type { Plan, RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { comparePicks } from './compare-picks.ts';
import { judgeCalls } from './judge-calls.ts';
import { pickByRelevance } from './pick-by-relevance.ts';
import type { ReadResponse } from './read-called-names.ts';

/** What is compared. */
export interface Comparison {
  readonly view: RequestView;
  readonly plan: Plan;
  /** Undefined for a strategy without searches. */
  readonly search: SearchRecord | undefined;
  /** Undefined when there was no whole one. */
  readonly response: ReadResponse | undefined;
  readonly settings: Settings;
}

/** What an observation has in addition to its search. */
export type Compared = Omit<Observation, 'status' | 'search'>;

/** The selector's picks against those of `relevance`, and against what the model called. */
export function compareWithModel({ view, plan, search, response, settings }: Comparison): Compared {
  const limit = settings['tools.max_search_results'];
  const isResolved = search?.outcome === 'found' || search?.outcome === 'no_match';
  // A search that fails shows everything; without searches, what is deferred is never shown.
  const shown = search && !isResolved ? plan.defer : (search?.names ?? []);
  const isLoaded = new Set(plan.load);
  const hidden = plan.defer.filter((name) => !isLoaded.has(name));
  const relevancePicks = search && pickByRelevance({ view, deferred: plan.defer, limit });
  return {
    ...(relevancePicks && { relevancePicks }),
    ...(relevancePicks && isResolved && { agreement: comparePicks(search.names, relevancePicks) }),
    ...(response && judgeCalls({ calledNames: response.calledNames, deferred: hidden, shown })),
  };
}
