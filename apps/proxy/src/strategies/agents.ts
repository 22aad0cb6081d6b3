import { type AgentMeans, type AgentRecord, type ExchangeRecord, modelSearches } from '@winnow/core';
import { RecentMap } from '@winnow/service';
import { z } from 'zod';
import { BYTES_PER_TOKEN } from './saving-rules.ts';

/** A request of an agent, as it arrives. */
export interface AgentRequest {
  readonly id: string;
  /** Whether the request begins a conversation. */
  readonly isFirst: boolean;
  /** Whether it is in the arm that defers. The provider sees other prompts of the other arms. */
  readonly isDeferring: boolean;
  /** The tools that its `tool_choice` names; none by default. */
  readonly chosen?: readonly string[];
}

/** The part of a finished exchange's record that tells about its agent. */
export type FinishedExchange = Pick<
  ExchangeRecord,
  'agent' | 'newBytes' | 'planReason' | 'searches' | 'observation' | 'usage'
>;

/**
 * A prior of this weight in conversations, and of this many prompts, all of them cached whole. A search finds 4.1 tools on
 * average over the dialogues of `bench:preload`.
 */
const PRIOR = { conversations: 1, requests: 8, deferred: 1, searches: 1, found: 4, prompts: 8 };

/** Share of earlier counts that each conversation leaves: the last 20 weigh most. */
const KEPT = 1 - 1 / 20;

/** Share of the counted searches that a passed conversation leaves: after some 100 the prior decides, as a trial. */
const KEPT_WHILE_PASSING = 0.99;

/** Later requests without a cached or written token that show that the provider caches nothing. */
const MISSES_WITHOUT_CACHE = 2;

/** Tokens of an earlier prompt from which on a provider is expected to have cached it, and of a history that tells. */
const TELLING_TOKENS = 4_096;
const TELLING_HISTORY = 512;

/** Share of a head that counts as all of it, since its tokens are estimated. */
const WHOLE_HEAD = 0.75;

/** Maximum number of agents to remember, and of chosen tools of each; a longer `tool_choice` chooses none for sure. */
const MAX_AGENTS = 1_000;
const MAX_CHOSEN = 8;

/** Longest name that is remembered; no provider accepts longer ones. */
const MAX_NAME_CHARS = 256;

/** Counts of an agent's conversations, and its latest choice. */
export const AgentCounts = z.object({
  conversations: z.number(),
  requests: z.number(),
  /** Requests since the latest conversation began. */
  current: z.number(),
  deferred: z.number(),
  searches: z.number(),
  /** Tools that the searches found. */
  found: z.number(),
  /** Requests whose head may have been cached, and those whose head was. */
  heads: z.number(),
  cachedHeads: z.number(),
  /** The same for histories behind a cached head, by the sum of their cached shares. */
  histories: z.number(),
  cachedHistories: z.number(),
  misses: z.number(),
  hasCache: z.boolean(),
  isDeferring: z.boolean().optional(),
});
type AgentCounts = z.infer<typeof AgentCounts>;

interface Agent extends AgentCounts {
  /** Monotonic times of the latest requests: in the arm that defers, and in others. */
  readonly lastAt: [deferring: number | undefined, other: number | undefined];
  readonly chosen: Set<string>;
  /** Tokens of the prompt's head, as estimated for the latest request that may defer: deferring, and with all tools. */
  promptHeads: readonly [deferring?: number, direct?: number];
}

interface AgentsOptions {
  readonly now: () => number;
  readonly counts?: Readonly<Record<string, AgentCounts>>;
}

/**
 * The agents of the latest requests: the running means that their bills depend on. Bounded; a forgotten agent starts
 * from the prior.
 */
export class Agents {
  readonly #agents = new RecentMap<string, Agent>(MAX_AGENTS);
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds; `counts` are those of earlier agents. */
  constructor({ now, counts = {} }: AgentsOptions) {
    this.#now = now;
    for (const [id, known] of Object.entries(counts)) this.#agents.set(id, { ...newAgent(), ...known });
  }

  /** Returns the counts of all agents, as plain data. */
  counts(): Record<string, AgentCounts> {
    return Object.fromEntries([...this.#agents].map(([id, agent]) => [id, AgentCounts.parse(agent)]));
  }

  /** Counts a request, and describes its agent for the record. */
  meet({ id, isFirst, isDeferring, chosen = [] }: AgentRequest): AgentRecord {
    const agent = this.#agents.getOrAdd(id, newAgent);
    if (agent.chosen.size + chosen.length <= MAX_CHOSEN) {
      for (const name of chosen) if (name.length <= MAX_NAME_CHARS) agent.chosen.add(name);
    }
    if (isFirst && agent.current > 0) endConversation(agent);
    agent.current++;
    const arm = isDeferring ? 0 : 1;
    const [before, now] = [agent.lastAt[arm], this.#now()];
    agent.lastAt[arm] = now;
    const idleMs = before === undefined ? undefined : Math.round(now - before);
    return { id, ...(isFirst && { isFirst: true }), ...(idleMs !== undefined && { idleMs }) };
  }

  /** Returns the means of an agent, which begin with a prior. */
  meansOf(id: string): AgentMeans {
    const agent = this.#agents.get(id) ?? newAgent();
    const requests = (PRIOR.requests + agent.requests) / (PRIOR.conversations + agent.conversations);
    return {
      requests: Math.max(1, requests),
      searches: (PRIOR.searches + agent.searches) / (PRIOR.deferred + agent.deferred),
      found: (PRIOR.found + agent.found) / (PRIOR.searches + agent.searches),
      cachedHead: this.cachesNothing(id)
        ? undefined
        : (PRIOR.prompts + agent.cachedHeads) / (PRIOR.prompts + agent.heads),
      cachedHistory: (PRIOR.prompts + agent.cachedHistories) / (PRIOR.prompts + agent.histories),
      isDeferring: agent.isDeferring,
    };
  }

  /** Whether the responses to an agent show that its provider caches no prompts. */
  cachesNothing(id: string): boolean {
    const { hasCache = false, misses = 0 } = this.#agents.get(id) ?? {};
    return !hasCache && misses >= MISSES_WITHOUT_CACHE;
  }

  /**
   * Counts the choice for a conversation: whether its tools are deferred. Searches of an agent that passes are
   * forgotten bit by bit.
   */
  begin(id: string, isDeferring: boolean): void {
    const agent = this.#agents.getOrAdd(id, newAgent);
    const kept = isDeferring ? KEPT : KEPT_WHILE_PASSING;
    agent.isDeferring = isDeferring;
    agent.deferred = kept * agent.deferred + (isDeferring ? 1 : 0);
    agent.searches *= kept;
    agent.found *= kept;
  }

  /** Learns the searches of a finished exchange and the tools that they found, and what the provider had cached of its prompt. */
  learn(exchange: FinishedExchange): void {
    const { agent: met, newBytes = 0, planReason, usage: rounds = [] } = exchange;
    const agent = met && this.#agents.get(met.id);
    if (agent === undefined) return;
    if (planReason === 'deferred') {
      const searches = modelSearches(exchange);
      agent.searches += rounds.length > 0 ? rounds.length - 1 : searches.length;
      for (const { outcome, names } of searches) if (outcome === 'found') agent.found += names.length;
    }
    const { inputTokens = 0, cachedInputTokens, cacheWriteTokens = 0 } = rounds[0] ?? {};
    const earlier = inputTokens - newBytes / BYTES_PER_TOKEN;
    // The first prompt of an arm cannot have been cached, and providers do not cache short ones.
    if (cachedInputTokens === undefined || met!.idleMs === undefined || earlier < TELLING_TOKENS) return;
    if (cachedInputTokens + cacheWriteTokens > 0) agent.hasCache = true;
    else if (!met!.isFirst) agent.misses++;
    const head = Math.min(earlier, agent.promptHeads[planReason === 'deferred' ? 0 : 1] ?? earlier);
    const isHeadCached = cachedInputTokens >= WHOLE_HEAD * head;
    agent.heads++;
    if (isHeadCached) agent.cachedHeads++;
    const history = earlier - head;
    if (met!.isFirst || !isHeadCached || history < TELLING_HISTORY) return;
    agent.histories++;
    agent.cachedHistories += 1 - Math.min(1, Math.max(0, earlier - cachedInputTokens) / history);
  }

  /** Keeps the estimated tokens of an agent's prompt head: with deferred tools, and with all. */
  measure(id: string, promptHeads: readonly [deferring: number, direct: number]): void {
    this.#agents.getOrAdd(id, newAgent).promptHeads = promptHeads;
  }

  /** Returns the tools that `tool_choice` has named in an agent's requests: each such request shows them. */
  chosenBy(id: string): readonly string[] {
    return [...(this.#agents.get(id)?.chosen ?? [])];
  }
}

const FADING = [
  ...(['conversations', 'requests', 'heads', 'cachedHeads', 'histories', 'cachedHistories'] as const),
];

function endConversation(agent: Agent): void {
  for (const count of FADING) agent[count] *= KEPT;
  agent.conversations++;
  agent.requests += agent.current;
  agent.current = 0;
}

function newAgent(): Agent {
  return {
    ...{
      conversations: 0,
      requests: 0,
      current: 0,
      deferred: 0,
      searches: 0,
      found: 0,
      heads: 0,
      cachedHeads: 0,
      histories: 0,
      cachedHistories: 0,
      misses: 0,
    },
    hasCache: false,
    lastAt: [undefined, undefined],
    chosen: new Set(),
    promptHeads: [],
  };
}
