import { RecentMap } from '@winnow/service';
import {
  hidesCalls,
  isRefused,
  MOST_REFUSALS,
  type Plan,
  type RequestView,
  type ResponseAlias,
  type ResponseJoiner,
  type Round,
  type Turn,
} from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import type { Tell } from '../records/exchange-fact.ts';
import type { Resolution } from '../search/resolve-searches.ts';
import type { MemoryHold } from '../sessions/request-memory.ts';
import type { ModelPlace } from '../strategies/load-modes.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { ClientResponse } from './client-response.ts';
import type { ExchangeEffects, FormatExchange } from './exchange.ts';
import type { ExchangeSender } from './exchange-sender.ts';
import type { PlannedExchange } from './plan-exchange.ts';

/**
 * Maximum number of turns of the model that may search. Searches in the last turn are not resolved; all tools
 * are shown instead, except in bridge mode.
 */
export const MAX_ROUNDS = 5;

/** State of a search loop between two requests. */
export interface LoopProgress {
  /** The plan of the first request. */
  readonly first: Plan;
  /** The plan of the next request. */
  readonly plan: Plan;
  /** The rounds that only searched, or made calls that were refused. */
  readonly rounds: readonly Round[];
  /** The number of rounds that searched. */
  readonly searches: number;
  /** Names found by searches, in load order, each once; without those shown because a search failed. */
  readonly found: readonly string[];
  /** Whether the model's thinking is bound to its tools, so that these must not change. */
  readonly isBound: boolean;
}

/** Returns the state before the first request. */
export function startOfLoop(plan: Plan, isBound: boolean): LoopProgress {
  return { first: plan, plan, rounds: [], searches: 0, found: [], isBound };
}

/** Returns the state after another turn of the model whose searches were resolved. */
export function afterTurn(progress: LoopProgress, turn: Turn, resolution: Resolution): LoopProgress {
  const { plan, rounds } = progress;
  const searches = progress.searches + (isOnlyRefused(plan, turn) ? 0 : 1);
  return {
    ...progress,
    plan: planAfterRound(progress, resolution, searches),
    rounds: [...rounds, { turn, results: resolution.results }],
    searches,
    found: [...new Set([...progress.found, ...resolution.found])],
  };
}

/** Whether all hidden calls of a turn are bridge calls that cannot work, which do not count as searches. */
function isOnlyRefused(plan: Plan, { searches }: Turn): boolean {
  return searches.length > 0 && searches.every((call) => isRefused(plan, call));
}

/**
 * Whether a turn has only bridge calls that cannot work, after the last one that is answered. They name no
 * tool, so the client cannot get them either.
 */
export function isHopeless({ plan, rounds, searches }: LoopProgress, turn: Turn): boolean {
  if (!isOnlyRefused(plan, turn)) return false;
  const refusing = rounds.filter((round) => round.turn.searches.some((call) => isRefused(plan, call)));
  return refusing.length >= MOST_REFUSALS || searches >= MAX_ROUNDS;
}

/**
 * Returns the state for an upstream that refuses references to deferred tools: from now on, found tools are
 * loaded by swapping.
 */
export function bySwap({ first, plan, ...progress }: LoopProgress): LoopProgress {
  return { ...progress, first: { ...first, loadMode: 'swap' }, plan: { ...plan, loadMode: 'swap' } };
}

/**
 * Returns the state for an upstream that refuses a change of tools within a conversation: a search brings the
 * preloaded tools, or else nothing does.
 */
export function withoutChange({ first, plan, ...progress }: LoopProgress, maySearch: boolean): LoopProgress {
  const change = (one: Plan): Plan => {
    if (one.loadMode === 'swap' || one.preload === undefined) return one;
    const { names } = one.preload;
    if (maySearch) return { ...one, preload: { names, form: 'search' } };
    return { ...one, load: one.load.filter((name) => !names.includes(name)), preload: undefined };
  };
  return { ...progress, first: change(first), plan: change(plan) };
}

/**
 * Returns the plan for editing the next request. In native mode, results refer to the found tools, and the
 * tools themselves do not change.
 */
export function planToSend({ plan, first }: LoopProgress): Plan {
  return plan.loadMode === 'native' ? { ...plan, load: first.load } : plan;
}

function planAfterRound({ plan, isBound }: LoopProgress, resolution: Resolution, round: number): Plan {
  if (plan.loadMode === 'bridge') return planAfterBridged(plan, resolution, round);
  if (round < MAX_ROUNDS) return withLoaded(plan, resolution.isRestored ? plan.defer : resolution.found);
  // In native mode the result shows everything and the tools stay; only a model that searches again loses the
  // search tool.
  if (round === MAX_ROUNDS && plan.loadMode === 'native') return withLoaded(plan, plan.defer);
  return isBound ? { ...plan, forbidsCalls: true } : withoutSearch(plan);
}

/**
 * Returns the plan after a round in bridge mode, where the tools stay. After the last answered search, the
 * result says so; a model that searches again must then answer without a call.
 */
function planAfterBridged(plan: Plan, { results }: Resolution, round: number): Plan {
  const defining = results.filter(({ kind }) => kind === 'found' || kind === 'answered');
  const next = withLoaded(
    plan,
    defining.flatMap(({ tools }) => tools.map(({ name }) => name)),
  );
  return round > MAX_ROUNDS ? { ...next, forbidsCalls: true } : next;
}

/** Whether a plan leaves the model nothing to search with: a search call would then be made up. */
export function isLast({ plan }: LoopProgress): boolean {
  return !hidesCalls(plan) || plan.forbidsCalls === true;
}

/** Makes these names visible; names that are already visible keep their places. */
function withLoaded(plan: Plan, names: readonly string[]): Plan {
  return { ...plan, load: [...new Set([...plan.load, ...names])] };
}

/**
 * Returns a plan with all of the client's tools and no search tool. Offered tools stay declared, as the
 * history calls them; further calls to them get no answer.
 */
function withoutSearch(plan: Plan): Plan {
  return { ...plan, defer: [], load: [], searchTool: undefined, offered: undefined };
}

/**
 * Interval of heartbeats to a waiting client, in milliseconds; the first follows its request after this time.
 */
export const HEARTBEAT_MS = 15_000;

/** A request with a search tool, and the context of its loop. */
export interface SearchLoop extends Pick<PlannedExchange, 'plan' | 'hiddenTurns'> {
  readonly session: Pick<PlannedExchange['session'], 'isShared' | 'add'>;
  /** The exchange's hold on the shared memory; buffered responses count towards it. */
  readonly hold: MemoryHold;
  /** Maximum size of a response that must be read as a whole, in bytes. */
  readonly limitBytes: number;
  readonly exchange: FormatExchange;
  readonly view: RequestView;
  /** The stored response that the request continues from. */
  readonly alias?: ResponseAlias | undefined;
  /** Returns the names of the functions that the conversation has shown from its start. */
  readonly kept?: () => readonly string[];
  /** Whether the thinking in the history is omitted. */
  readonly dropsThinking: boolean;
  /** Whether the model's thinking is bound to its tools, so that these must stay the same in every round. */
  readonly isBound: boolean;
  readonly sender: Pick<ExchangeSender, 'sendEdited'>;
  /** Sends the client's request as it is; absent where the upstream cannot answer it. */
  readonly sendOriginal?: (() => Promise<UpstreamResponse>) | undefined;
  /** Called when the upstream has refused a hidden round, and accepted the client's request. */
  readonly onRoundRefused?: (() => Promise<void>) | undefined;
  readonly refusedEdits: RefusedEdits;
  /** Called when the upstream, which accepted deferred tools, refuses references to them. */
  readonly onReferencesRefused: () => void;
  /** Called when the upstream refuses a change of tools within the conversation. */
  readonly onChangeRefused: () => void;
  /** Resolves the searches of one turn; with `isLimit`, all tools are shown instead. Never rejects. */
  readonly resolve: (turn: Turn, isLimit: boolean) => Promise<Resolution>;
  readonly every: ExchangeEffects['every'];
  readonly pause: ExchangeEffects['pause'];
  readonly now: ExchangeEffects['now'];
  /** Time of the client's first heartbeat, by `now`: until then its response can still be replaced. */
  readonly heartbeatAt: number;
  /** Number of retries when a later round fails temporarily. */
  readonly retryAttempts: number;
  readonly tell: Tell;
}

export interface LoopContext {
  readonly settings: Settings;
  readonly refusedEdits: RefusedEdits;
  readonly effects: Pick<ExchangeEffects, 'now' | 'every' | 'pause'>;
}

/** Returns the input of a loop that is the same for every kind of exchange. */
export function loopBasics({ target: { upstream } }: FormatExchange, context: LoopContext) {
  const { settings, refusedEdits, effects } = context;
  return {
    refusedEdits,
    limitBytes: settings['server.max_body'],
    every: effects.every,
    pause: effects.pause,
    now: effects.now,
    heartbeatAt: effects.now() + HEARTBEAT_MS,
    retryAttempts: upstream.retryAttempts,
  };
}

/** The client's side of a loop: the joiner makes one response of all rounds. */
export interface LoopOutput {
  readonly client: ClientResponse;
  readonly joiner: ResponseJoiner;
}

/** Maximum number of places to remember; a forgotten place costs one repeated request. */
const MAX_PLACES = 1_000;

/** Maximum length of a model's name in a key, in characters: clients may write anything into it. */
const MODEL_CHARS = 256;

/** The most edits of a place to remember; a server that refuses more is better left alone. */
const MOST_EDITS = 20;

/** The edits that upstreams have refused, by model. Later requests do without them. */
export class RefusedEdits {
  readonly #refused = new RecentMap<string, ReadonlySet<string>>(MAX_PLACES);

  /** Returns the names of the edits that a place has refused. */
  of(place: ModelPlace): ReadonlySet<string> {
    return this.#refused.get(keyOf(place)) ?? NONE;
  }

  add(place: ModelPlace, edits: Iterable<string>): void {
    const all = [...this.of(place), ...edits].slice(0, MOST_EDITS);
    this.#refused.set(keyOf(place), new Set(all));
  }
}

const NONE: ReadonlySet<string> = new Set();

function keyOf({ upstream, model }: ModelPlace): string {
  return JSON.stringify([upstream.name, model?.slice(0, MODEL_CHARS)]);
}
