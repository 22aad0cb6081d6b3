import type { Ranker } from '../ranker.ts';
import { bm25 } from './bm25.ts';
import { regexRanker } from './regex.ts';
import { wink } from './wink.ts';

/** All rankers, by their names in settings and commands. */
export const RANKERS = {
  bm25,
  wink,
  regex: regexRanker(bm25),
} as const satisfies Record<string, Ranker>;

export type RankerName = keyof typeof RANKERS;
