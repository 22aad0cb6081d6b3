import type { AgentRecord, EstimatedBills, ExchangeRecord, TokenUsage } from '@winnow/contract';
import {
  type AgentTraffic,
  type DeferralDecision,
  decideDeferral,
  type ModelTerms,
  type ObservedConversation,
  type PromptSizes,
} from '@winnow/prices';
import { RecentMap } from '@winnow/service';

/** A request of an agent, as it arrives. */
export interface AgentRequest {
  readonly id: string;
  /** Whether the request begins a conversation. */
  readonly isFirst: boolean;
  /** Whether it is in the arm that defers. The provider sees other prompts of the other arms. */
  readonly isDeferring: boolean;
  /** Tokens that no earlier request of the conversation had. */
  readonly newTokens: number;
  /** Whether it marks its latest messages for the prompt cache; undefined if that does not show. */
  readonly marksLatest?: boolean | undefined;
}

/** Facts about the provider's prompt cache. */
export interface AgentTerms {
  /** Undefined if the table has no price of any model. */
  readonly model: ModelTerms | undefined;
  /**
   * Whether these are the usual terms of other models, as neither the model's price nor that of its family is
   * known: they hold once a response shows a cache.
   */
  readonly isUsual: boolean;
  /** Whether the server is known to be the vendor's, so that its rules and prices hold. */
  readonly isVendors: boolean;
  /** Whether the request marks a part of its prompt to be cached; undefined if no marks are needed. */
  readonly isMarked: boolean | undefined;
}

/** An agent's requests, as a plan that defers has measured them. */
export interface AgentMeasurement {
  readonly sizes: PromptSizes;
  /** Whether conversations with deferred tools are expected to share their heads. */
  readonly sharesHeads: boolean;
  readonly terms: AgentTerms;
}

/** Maximum number of agents to remember, of conversations whose traffic counts, and of those kept one by one. */
const MAX_AGENTS = 1_000;
const MAX_CONVERSATIONS = 400;
const MAX_LATEST = 100;

/** Maximum number of measurements in a mean: later ones weigh more than the first. */
const MOST_AVERAGED = 50;

/** Lifetime of a cached prompt that every provider grants, in milliseconds. */
const CACHE_MS = 5 * 60_000;

/** Time after which a process looks for decisions of others again, in milliseconds. */
const COMPARE_EVERY_MS = 10 * 60_000;

/** Responses to later requests without a cached token that show that the provider caches none. */
const MISSES_WITHOUT_CACHE = 10;

type Mutable<Value> = { -readonly [Field in keyof Value]: Value[Field] };

/** A conversation with the key of its session. */
interface KnownConversation extends Mutable<ObservedConversation> {
  readonly session: string;
}

/** The counts of an agent's traffic. */
type Counts = Mutable<Omit<AgentTraffic, 'latest'>>;

interface Agent {
  readonly traffic: Counts;
  /** The latest conversations, oldest first. */
  readonly latest: KnownConversation[];
  /** Monotonic times of the latest requests: in the arm that defers, and in others. */
  readonly lastAt: [deferring: number | undefined, other: number | undefined];
  /** Later requests of conversations whose prompt was read from the cache, and those with none cached. */
  cacheHits: number;
  cacheMisses: number;
  /** Whether other processes know that the provider caches prompts. */
  isCacheShared: boolean;
  /** Whether later requests of conversations mark no latest message, so that only their heads are cached. */
  isHeadOnly: boolean;
  /** Undefined until a plan has deferred something. */
  measured?: AgentMeasurement | undefined;
  /** Plans that have measured it, up to a limit. */
  measurements: number;
  /** Undefined as long as fixed thresholds decide. */
  decision: DeferralDecision | undefined;
  /** Monotonic time at which the decision was last compared with other processes. */
  comparedAt?: number;
}

/** The part of a finished exchange's record that tells about its agent. */
export type FinishedExchange = Pick<
  ExchangeRecord,
  'agent' | 'planReason' | 'searches' | 'session' | 'usage' | 'usageByRound'
>;

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
  readonly #effects: AgentEffects;

  constructor(effects: AgentEffects) {
    this.#effects = effects;
  }

  /** Counts a request, and describes its agent for the record. */
  meet({ id, isFirst, isDeferring, newTokens, marksLatest }: AgentRequest): AgentRecord {
    const agent = this.#agents.getOrAdd(id, newAgent);
    if (marksLatest !== undefined) agent.isHeadOnly = !marksLatest;
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
      if (latest !== Number.NEGATIVE_INFINITY) traffic.starts++;
      if (now - latest <= CACHE_MS) traffic.warmStarts++;
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
    const { agent: met, planReason, usage, usageByRound } = exchange;
    const agent = met && this.#agents.get(met.id);
    const isDeferred = planReason === 'deferred';
    if (agent === undefined || !(isDeferred || planReason === 'few_savings')) return;
    const rounds = usageByRound ?? (usage ? [usage] : []);
    countTokens(agent.traffic, rounds);
    const searches = rounds.length > 0 ? rounds.length - 1 : exchange.searches.length;
    continueConversation(agent.latest, exchange, isDeferred ? searches : undefined);
    if (isDeferred && rounds[0] !== undefined) learnOfCache(agent, met!, rounds[0]);
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
      // At an unknown server, fixed thresholds decide at first.
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

function newAgent(): Agent {
  return {
    traffic: {
      conversations: 0,
      requests: 0,
      newTokens: 0,
      answers: 0,
      outputTokens: 0,
      searches: 0,
      searchTokens: 0,
      searchOutput: 0,
      starts: 0,
      warmStarts: 0,
      warmDeferredStarts: 0,
      sharedStarts: 0,
    },
    latest: [],
    lastAt: [undefined, undefined],
    cacheHits: 0,
    cacheMisses: 0,
    isCacheShared: false,
    isHeadOnly: false,
    measurements: 0,
    decision: undefined,
  };
}

/** Halves all counts, so that recent traffic weighs more. */
function halve(traffic: Counts): void {
  for (const count of Object.keys(traffic) as (keyof Counts)[]) traffic[count] /= 2;
}

/** Counts the tokens of an exchange: every round but the last is a search. */
function countTokens(traffic: Counts, rounds: readonly TokenUsage[]): void {
  const [first, last] = [rounds[0], rounds.at(-1)];
  if (first === undefined || last === undefined) return;
  traffic.answers++;
  traffic.outputTokens += last.outputTokens;
  traffic.searches += rounds.length - 1;
  traffic.searchTokens += Math.max(0, last.inputTokens - first.inputTokens);
  for (const { outputTokens } of rounds.slice(0, -1)) traffic.searchOutput += outputTokens;
}

/** Adds an exchange to its conversation; one whose beginning was not seen does not count. */
function continueConversation(
  latest: KnownConversation[],
  { agent, session }: FinishedExchange,
  searches: number | undefined,
): void {
  if (session === undefined) return;
  if (agent!.isFirst) {
    latest.push({ session, requests: 1, searches });
    if (latest.length > MAX_LATEST) latest.shift();
    return;
  }
  // Two conversations may begin with the same words: the later one is used.
  const known = latest.findLast((one) => one.session === session);
  if (known === undefined) return;
  known.requests++;
  if (searches !== undefined) known.searches = (known.searches ?? 0) + searches;
}

/** Counts the cached part of an exchange's first prompt. */
function learnOfCache(
  agent: Agent,
  { isFirst, idleMs = Number.POSITIVE_INFINITY }: AgentRecord,
  { inputTokens, cachedInputTokens, cacheWriteTokens = 0 }: TokenUsage,
): void {
  if (cachedInputTokens === undefined) return;
  if (isFirst && idleMs <= CACHE_MS) {
    agent.traffic.warmDeferredStarts++;
    // What follows the head is new in every conversation, and may be longer than a short head.
    const head = Math.min(inputTokens, agent.measured?.sizes.deferredHead ?? inputTokens);
    if (cachedInputTokens >= head / 2) agent.traffic.sharedStarts++;
  }
  if (cachedInputTokens > 0 || cacheWriteTokens > 0) seeCache(agent);
  else if (!isFirst) agent.cacheMisses++;
}

/**
 * Counts a prompt that the cache held. With the first one, conversations of a model without a known price may
 * begin in another load mode, so the sizes are measured again.
 */
function seeCache(agent: Agent): void {
  agent.cacheHits++;
  if (agent.cacheHits > 1 || !agent.measured?.terms.isUsual) return;
  agent.measured = undefined;
  agent.measurements = 0;
}

/** Whether fixed thresholds decide until a response shows a cache, and a trial after that. */
function needsProof({ isVendors, isUsual }: AgentTerms): boolean {
  return !isVendors || isUsual;
}

/**
 * Whether the provider caches an agent's prompts: by its responses, or else by the vendor's rules. Undefined
 * as long as an unknown server, or one with a model of unknown price, has shown no cache.
 */
function cachingOf({ cacheHits, cacheMisses }: Agent, terms: AgentTerms): boolean | undefined {
  const { isMarked = true } = terms;
  if (cacheHits > 0) return isMarked;
  return needsProof(terms) ? undefined : isMarked && cacheMisses < MISSES_WITHOUT_CACHE;
}
