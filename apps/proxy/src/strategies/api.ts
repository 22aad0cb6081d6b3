import { planWithSearch, type SearchPlanOptions } from './plan-with-search.ts';
import type { Strategy } from './strategy.ts';

/** Defers what it may; the model's searches are answered by the selector. */
export const api: Strategy<SearchPlanOptions> = { plan: planWithSearch, search: 'selector' };
