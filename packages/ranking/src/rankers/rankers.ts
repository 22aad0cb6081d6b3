import type { Ranker } from '../ranker.ts';
import { bm25 } from './bm25.ts';
import { wink } from './wink.ts';

/** The rankers that a user can choose, by name. */
export const RANKERS = { bm25, wink } as const satisfies Readonly<Record<string, Ranker>>;

export type RankerName = keyof typeof RANKERS;

export const RANKER_NAMES = ['bm25', 'wink'] as const satisfies readonly RankerName[];
