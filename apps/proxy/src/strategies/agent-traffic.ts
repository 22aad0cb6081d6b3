import type {
  AgentRecord,
  AgentTraffic,
  DeferralDecision,
  ExchangeRecord,
  ModelTerms,
  ObservedConversation,
  PromptSizes,
  TokenUsage,
} from '@winnow/core';
import { BYTES_PER_TOKEN } from './saving-rules.ts';

/** Facts about the provider's prompt cache. */
export interface AgentTerms {
  /** Undefined if the table has no price of any model. */
  readonly model: ModelTerms | undefined;
  /**
   * Whether these are the usual terms of other models, as neither the model's price nor that of its family is
   * known: they hold once a response shows a cache.
   */
  readonly isUsual: boolean;
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

/** Maximum number of conversations that are kept one by one. */
const MAX_LATEST = 100;

/** Lifetime of a cached prompt that every provider grants, in milliseconds. */
export const CACHE_MS = 5 * 60_000;

type Mutable<Value> = { -readonly [Field in keyof Value]: Value[Field] };

/** A conversation with the key of its session. */
interface KnownConversation extends Mutable<ObservedConversation> {
  readonly session: string;
}

/** The counts of an agent's traffic. */
type Counts = Mutable<Omit<AgentTraffic, 'latest'>>;

/** The findings about an agent. */
export interface Agent {
  readonly traffic: Counts;
  /** The latest conversations, oldest first. */
  readonly latest: KnownConversation[];
  /** Whether the latest conversation began within the lifetime of a cache after another request. */
  isBusy: boolean;
  /** Monotonic times of the latest requests: in the arm that defers, and in others. */
  readonly lastAt: [deferring: number | undefined, other: number | undefined];
  /** Later requests of conversations whose prompt was read from the cache, and those with none cached. */
  cacheHits: number;
  cacheMisses: number;
  /** Whether other processes know that the provider caches prompts. */
  isCacheShared: boolean;
  /** Whether requests mark no latest message, so that only heads are cached; later requests tell it for sure. */
  isHeadOnly: boolean;
  isSureOfMarks: boolean;
  /** The latest upstream and model. */
  place: string;
  /** Tools that `tool_choice` has named. */
  readonly chosen: Set<string>;
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
  'agent' | 'newBytes' | 'planReason' | 'searches' | 'session' | 'usage' | 'usageByRound'
>;

/** Returns an agent of which nothing is known. */
export function newAgent(): Agent {
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
      turns: 0,
      coldTurns: 0,
      starts: 0,
      warmStarts: 0,
      warmDeferredStarts: 0,
      sharedStarts: 0,
    },
    latest: [],
    isBusy: false,
    lastAt: [undefined, undefined],
    cacheHits: 0,
    cacheMisses: 0,
    isCacheShared: false,
    isHeadOnly: false,
    isSureOfMarks: false,
    place: '',
    chosen: new Set(),
    measurements: 0,
    decision: undefined,
  };
}

/** Halves all counts, so that recent traffic weighs more. */
export function halve(traffic: Counts): void {
  for (const count of Object.keys(traffic) as (keyof Counts)[]) traffic[count] /= 2;
}

/** Learns from a finished exchange of an agent: its conversation, its tokens, and its cache hits. */
export function learnFrom(agent: Agent, exchange: FinishedExchange): void {
  const { agent: met, newBytes = 0, planReason, usage, usageByRound } = exchange;
  const isDeferred = planReason === 'deferred';
  if (!(isDeferred || planReason === 'few_savings')) return;
  const rounds = usageByRound ?? (usage ? [usage] : []);
  countTokens(agent.traffic, rounds);
  const searches = rounds.length > 0 ? rounds.length - 1 : exchange.searches.length;
  continueConversation(agent.latest, exchange, isDeferred ? searches : undefined);
  if (met!.isFirst && !agent.isBusy) countQuietStart(agent, isDeferred, rounds[0]);
  if (rounds[0] === undefined) return;
  if (isDeferred) learnOfHeads(agent, met!, rounds[0]);
  if (!met!.isFirst) learnOfTurns(agent, { isDeferred, newTokens: newBytes / BYTES_PER_TOKEN }, rounds[0]);
  learnOfCache(agent, met!, rounds[0]);
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

/**
 * Counts a conversation that began while its agent had long been quiet. Its head may have been cached all the same:
 * some providers cache for hours, and other agents may share the head.
 */
function countQuietStart(agent: Agent, isDeferred: boolean, usage: TokenUsage | undefined): void {
  const isRead = usage !== undefined && hasReadHead(agent, isDeferred, usage);
  // The first conversation that this process sees says nothing if its head was not cached.
  if (!isRead && agent.traffic.conversations <= 1) return;
  agent.traffic.starts++;
  if (isRead) agent.traffic.warmStarts++;
}

/** Counts whether the cache held the head of a conversation with deferred tools that began in a busy time. */
function learnOfHeads(agent: Agent, { isFirst, idleMs }: AgentRecord, usage: TokenUsage): void {
  const isBusy = idleMs !== undefined && idleMs <= CACHE_MS;
  if (!isFirst || !isBusy || usage.cachedInputTokens === undefined) return;
  agent.traffic.warmDeferredStarts++;
  if (hasReadHead(agent, true, usage)) agent.traffic.sharedStarts++;
}

/** Least tokens of a conversation, behind its head, that tell by being cached or not. */
const LEAST_TELLING = 256;

/** Counts whether the cache held what earlier requests of a conversation had behind their head. */
function learnOfTurns(
  agent: Agent,
  { isDeferred, newTokens }: { readonly isDeferred: boolean; readonly newTokens: number },
  { inputTokens, cachedInputTokens }: TokenUsage,
): void {
  const [head, minimum] = [headOf(agent, isDeferred), agent.measured?.terms.model?.minimum];
  if (head === undefined || minimum === undefined || cachedInputTokens === undefined) return;
  const known = inputTokens - newTokens;
  if (known < minimum || known - head < LEAST_TELLING) return;
  agent.traffic.turns++;
  if (cachedInputTokens - head < (known - head) / 2) agent.traffic.coldTurns++;
}

/** Whether most of a first prompt's head was read from the cache. */
function hasReadHead(agent: Agent, isDeferred: boolean, usage: TokenUsage): boolean {
  const { inputTokens, cachedInputTokens = 0 } = usage;
  // What follows the head is new in every conversation, and may be longer than a short head.
  return cachedInputTokens >= Math.min(inputTokens, headOf(agent, isDeferred) ?? inputTokens) / 2;
}

function headOf({ measured }: Agent, isDeferred: boolean): number | undefined {
  return measured?.sizes[isDeferred ? 'deferredHead' : 'directHead'];
}

/** Learns whether the provider caches prompts. */
function learnOfCache(
  agent: Agent,
  { isFirst }: AgentRecord,
  { cachedInputTokens, cacheWriteTokens = 0 }: TokenUsage,
): void {
  if (cachedInputTokens === undefined) return;
  if (cachedInputTokens > 0 || cacheWriteTokens > 0) seeCache(agent);
  else if (!isFirst) agent.cacheMisses++;
}

/**
 * Counts a prompt that the cache held. With the first one, conversations of a model without a known price may
 * begin in another load mode, so the sizes are measured again.
 */
export function seeCache(agent: Agent): void {
  agent.cacheHits++;
  if (agent.cacheHits > 1 || !agent.measured?.terms.isUsual) return;
  agent.measured = undefined;
  agent.measurements = 0;
}
