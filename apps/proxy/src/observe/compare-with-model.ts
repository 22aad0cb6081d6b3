import type { Observation, SearchRecord } from '@winnow/contract';
import type { Plan, RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { comparePicks } from './compare-picks.ts';
import { judgeCalls } from './judge-calls.ts';
import { pickByRelevance } from './pick-by-relevance.ts';
import type { ReadResponse } from './read-called-names.ts';

/** The input of a comparison. */
export interface Comparison {
  readonly view: RequestView;
  readonly plan: Plan;
  /** Undefined for a strategy without searches. */
  readonly search: SearchRecord | undefined;
  /** Undefined without a complete response. */
  readonly response: ReadResponse | undefined;
  readonly settings: Settings;
}

/** The fields of an observation besides its search. */
export type Compared = Omit<Observation, 'status' | 'search'>;

/** Compares the selector's picks with those of `relevance` and with the model's calls. */
export function compareWithModel({ view, plan, search, response, settings }: Comparison): Compared {
  const limit = settings['tools.max_search_results'];
  const isResolved =
    search?.outcome === 'found' || search?.outcome === 'weak' || search?.outcome === 'no_match';
  // A failed search shows everything; without searches, deferred tools are never shown.
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
