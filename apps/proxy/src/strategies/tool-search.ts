import { planWithSearch, type SearchPlanOptions } from './plan-with-search.ts';
import type { Strategy } from './strategy.ts';

/** Defers what it may; the model's searches are ranked in this process. */
export const toolSearch: Strategy<SearchPlanOptions> = { plan: planWithSearch, search: 'local' };
