import { type AgentRecord, type DeferralDecision, decideDeferral, type EstimatedBills } from '@winnow/core';
import { RecentMap } from '@winnow/service';
import {
  type Agent,
  type AgentMeasurement,
  type AgentTerms,
  CACHE_MS,
  type FinishedExchange,
  halve,
  learnFrom,
  newAgent,
  seeCache,
} from './agent-traffic.ts';

/** A request of an agent, as it arrives. */
export interface AgentRequest {
  readonly id: string;
  /** Whether the request begins a conversation. */
  readonly isFirst: boolean;
  /** Whether it is in the arm that defers. The provider sees other prompts of the other arms. */
  readonly isDeferring: boolean;
  /** Tokens that no earlier request of the conversation had. */
  readonly newTokens: number;
  /** The upstream and the model, as a key. */
  readonly place: string;
  /** Whether it marks its latest messages for the prompt cache; undefined if that does not show. */
  readonly marksLatest?: boolean | undefined;
  /** The tools that its `tool_choice` names; none by default. */
  readonly chosen?: readonly string[];
}

/** Maximum number of agents to remember, and of conversations whose traffic counts. */
const MAX_AGENTS = 1_000;
const MAX_CONVERSATIONS = 400;

/** Maximum number of measurements in a mean: later ones weigh more than the first. */
const MOST_AVERAGED = 50;

/** Maximum number of chosen tools to remember of an agent; a longer `tool_choice` chooses none for sure. */
const MAX_CHOSEN = 8;

/** Longest name that is remembered; no provider accepts longer ones. */
const MAX_NAME_CHARS = 256;

/** Time after which a process looks for decisions of others again, in milliseconds. */
const COMPARE_EVERY_MS = 10 * 60_000;

/** Responses to later requests without a cached token that show that the provider caches none. */
const MISSES_WITHOUT_CACHE = 10;

/** Clocks of agents. */
export interface AgentEffects {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
}

/**
 * The agents of the latest requests: their traffic, and whether their conversations are cheaper with deferred
 * tools. Bounded; a forgotten agent starts from nothing.
 */
export class Agents {
  readonly #agents = new RecentMap<string, Agent>(MAX_AGENTS);
  /** Upstreams and models whose responses have shown a cache, to whichever agent. */
  readonly #caching = new RecentMap<string, true>(MAX_AGENTS);
  readonly #effects: AgentEffects;

  constructor(effects: AgentEffects) {
    this.#effects = effects;
  }

  /** Counts a request, and describes its agent for the record. */
  meet(request: AgentRequest): AgentRecord {
    const { id, isFirst, isDeferring, newTokens, place, marksLatest, chosen = [] } = request;
    const agent = this.#agents.getOrAdd(id, newAgent);
    if (marksLatest !== undefined && !(isFirst && agent.isSureOfMarks)) {
      agent.isHeadOnly = !marksLatest;
      agent.isSureOfMarks = !isFirst;
    }
    if (agent.chosen.size + chosen.length <= MAX_CHOSEN) {
      for (const name of chosen) if (name.length <= MAX_NAME_CHARS) agent.chosen.add(name);
    }
    agent.place = place;
    if (agent.cacheHits === 0 && this.#caching.get(place)) seeCache(agent);
    const { traffic, lastAt } = agent;
    const now = this.#effects.now();
    const arm = isDeferring ? 0 : 1;
    const latest = Math.max(lastAt[0] ?? Number.NEGATIVE_INFINITY, lastAt[1] ?? Number.NEGATIVE_INFINITY);
    const idle = lastAt[arm];
    lastAt[arm] = now;
    if (traffic.conversations >= MAX_CONVERSATIONS) halve(traffic);
    traffic.requests++;
    traffic.newTokens += newTokens;
    if (isFirst) {
      traffic.conversations++;
      agent.isBusy = now - latest <= CACHE_MS;
      if (agent.isBusy) {
        traffic.starts++;
        traffic.warmStarts++;
      }
    }
    const { decision } = agent;
    return {
      id,
      ...(isFirst && { isFirst: true }),
      ...(idle !== undefined && { idleMs: Math.round(now - idle) }),
      ...(decision?.defers === false && { passes: true }),
    };
  }

  /** Learns from a finished exchange of an agent: its conversation, its tokens, and its cache hits. */
  learn(exchange: FinishedExchange): void {
    const agent = exchange.agent && this.#agents.get(exchange.agent.id);
    if (agent === undefined) return;
    learnFrom(agent, exchange);
    if (agent.cacheHits > 0) this.#caching.set(agent.place, true);
  }

  /**
   * Stores the sizes that a plan has measured. Preloaded tools differ between conversations, so their mean is
   * used.
   */
  measure(id: string, measured: AgentMeasurement): void {
    const agent = this.#agents.getOrAdd(id, newAgent);
    agent.measurements = Math.min(agent.measurements + 1, MOST_AVERAGED);
    const { preloaded } = measured.sizes;
    const before = agent.measured?.sizes.preloaded ?? preloaded;
    const mean = before + (preloaded - before) / agent.measurements;
    agent.measured = { ...measured, sizes: { ...measured.sizes, preloaded: mean } };
  }

  /** Returns the tools that `tool_choice` has named in an agent's requests: each such request shows them. */
  chosenBy(id: string): readonly string[] {
    return [...(this.#agents.get(id)?.chosen ?? [])];
  }

  /** Takes over the decision of another process. */
  adopt(id: string, decision: DeferralDecision): void {
    this.#agents.getOrAdd(id, newAgent).decision = decision;
  }

  /** Whether a response has shown that the provider caches an agent's prompts. */
  hasCache(id: string): boolean {
    return (this.#agents.get(id)?.cacheHits ?? 0) > 0;
  }

  /** Takes over from another process that the provider caches an agent's prompts. */
  adoptCache(id: string): void {
    const agent = this.#agents.getOrAdd(id, newAgent);
    seeCache(agent);
    agent.isCacheShared = true;
  }

  /** Whether to tell other processes of an agent's cache; true once, and only where it changes the terms. */
  isCacheNews(id: string): boolean {
    const agent = this.#agents.get(id);
    if (!agent?.measured?.terms.isUsual || agent.cacheHits === 0 || agent.isCacheShared) return false;
    agent.isCacheShared = true;
    return true;
  }

  /** Whether it is time to compare the decision about an agent with other processes; true once in a while. */
  isDueToCompare(id: string): boolean {
    const agent = this.#agents.getOrAdd(id, newAgent);
    const now = this.#effects.now();
    if (agent.comparedAt !== undefined && now - agent.comparedAt < COMPARE_EVERY_MS) return false;
    agent.comparedAt = now;
    return true;
  }

  /** Returns the current decision about an agent; undefined if fixed thresholds decide. */
  decisionOf(id: string): DeferralDecision | undefined {
    return this.#agents.get(id)?.decision;
  }

  /**
   * Decides about an agent's new conversations, or reviews the decision if it is due. Undefined as long as
   * prices, cache or sizes are not known.
   */
  decide(id: string): DeferralDecision | undefined {
    const agent = this.#agents.get(id);
    if (agent?.measured === undefined) return agent?.decision;
    const { measured, traffic, latest } = agent;
    const isCached = cachingOf(agent, measured.terms);
    const { model } = measured.terms;
    if (model === undefined || isCached === undefined) return agent.decision;
    agent.decision = decideDeferral({
      ...measured,
      traffic: { ...traffic, latest },
      terms: { ...model, isCached, isHeadOnly: agent.isHeadOnly },
      before: agent.decision,
      isOnTrial: needsProof(measured.terms),
      now: this.#effects.wallClock(),
    });
    return agent.decision;
  }

  /** Returns a decision's bills in tokens at the price of uncached input, for the record. */
  billsOf(id: string): EstimatedBills | undefined {
    const agent = this.#agents.get(id);
    const input = agent?.measured?.terms.model?.rates.input;
    if (!agent?.decision || !input) return undefined;
    const { direct, deferred } = agent.decision.bills;
    return { direct: Math.round(direct / input), deferred: Math.round(deferred / input) };
  }
}

/**
 * Whether fixed thresholds decide until a response shows a cache, and a trial after that: for a model of unknown
 * price, unless its client expects a cache, as its marks show.
 */
function needsProof({ isUsual, isMarked }: AgentTerms): boolean {
  return isUsual && isMarked !== true;
}

/**
 * Whether the provider caches an agent's prompts: by its responses, or else by the vendor's rules. Undefined
 * as long as a model of unknown price has shown no cache.
 */
function cachingOf({ cacheHits, cacheMisses }: Agent, terms: AgentTerms): boolean | undefined {
  const { isMarked = true } = terms;
  if (cacheHits > 0) return isMarked;
  return needsProof(terms) ? undefined : isMarked && cacheMisses < MISSES_WITHOUT_CACHE;
}
