import type { NewlyLoaded } from '@winnow/contract';
import { hidesCalls, type Plan, type Round, type Turn } from '@winnow/wire';
import type { Resolution } from '../search/resolve-searches.ts';

/** Turns of the model that may be searches. The last one's searches are not resolved any more: everything is shown instead. */
export const MAX_ROUNDS = 5;

/** State of a search loop between two requests. */
export interface LoopProgress {
  /** The plan of the first request. */
  readonly first: Plan;
  /** The plan of the next request. */
  readonly plan: Plan;
  /** The rounds that only searched. */
  readonly rounds: readonly Round[];
  /** Names that were found, in load order, each once. Those that were shown because a search failed are not among them. */
  readonly found: readonly string[];
  /** Whether a turn was told that nothing matches. */
  readonly hadNoMatch: boolean;
  /** Whether the model's thinking is bound to its tools, so that these may not change. */
  readonly isBound: boolean;
}

/** Before the first request. */
export function startOfLoop(plan: Plan, isBound: boolean): LoopProgress {
  return { first: plan, plan, rounds: [], found: [], hadNoMatch: false, isBound };
}

/** After one more turn of the model whose searches were resolved. */
export function afterTurn(progress: LoopProgress, turn: Turn, resolution: Resolution): LoopProgress {
  const rounds = [...progress.rounds, { turn, results: resolution.results }];
  return {
    ...progress,
    plan: planAfterRound(progress, resolution, rounds.length),
    rounds,
    found: [...new Set([...progress.found, ...resolution.found])],
    hadNoMatch: progress.hadNoMatch || resolution.isNoMatch,
  };
}

/** The same, where the upstream refuses references to deferred tools: from here on by swap, what was found in its place. */
export function bySwap({ first, plan, ...progress }: LoopProgress): LoopProgress {
  return { ...progress, first: { ...first, loadMode: 'swap' }, plan: { ...plan, loadMode: 'swap' } };
}

/** Counts the deferred tools that a resolution makes visible and this plan did not. */
export function newlyLoaded(
  { defer, load }: Plan,
  { found, isRestored }: Pick<Resolution, 'found' | 'isRestored'>,
): NewlyLoaded {
  const hidden = new Set(defer);
  for (const name of load) hidden.delete(name);
  const known = new Set(found.filter((name) => hidden.has(name))).size;
  return { found: known, restored: isRestored ? hidden.size - known : 0 };
}

/** The plan that the next request is edited by: natively, what was found is referred to by results, and the tools stay as they were. */
export function planToSend({ plan, first }: LoopProgress): Plan {
  return plan.loadMode === 'native' ? { ...plan, load: first.load } : plan;
}

function planAfterRound({ plan, isBound }: LoopProgress, resolution: Resolution, round: number): Plan {
  if (round < MAX_ROUNDS) return withLoaded(plan, resolution.isRestored ? plan.defer : resolution.found);
  // Natively, the result shows everything and the tools stay; only a model that searches once more loses the search tool.
  if (round === MAX_ROUNDS && plan.loadMode === 'native') return withLoaded(plan, plan.defer);
  return isBound ? { ...plan, forbidsCalls: true } : withoutSearch(plan);
}

/** Whether a plan leaves the model nothing to search with: a search all the same is one that it has made up. */
export function isLast({ plan }: LoopProgress): boolean {
  return !hidesCalls(plan) || plan.forbidsCalls === true;
}

/** The plan with these names made visible; names that are visible already stay where they are. */
function withLoaded(plan: Plan, names: readonly string[]): Plan {
  return { ...plan, load: [...new Set([...plan.load, ...names])] };
}

/**
 * The plan that gives the model all of the client's tools and nothing to search with. Offered tools stay declared, as the history calls them; what calls
 * one all the same is told nothing.
 */
function withoutSearch(plan: Plan): Plan {
  return { ...plan, defer: [], load: [], searchTool: undefined, offered: undefined };
}
