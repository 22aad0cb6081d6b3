import { z } from 'zod';
import {
  type Bills,
  type CacheTerms,
  type ConversationKind,
  type ConversationProfile,
  estimateBills,
  type PromptSizes,
} from './estimate-bills.ts';

/** A conversation of an agent so far. */
export interface ObservedConversation {
  /** Requests of the client. */
  readonly requests: number;
  /** Searches; undefined if its tools were not deferred. */
  readonly searches: number | undefined;
}

/** Traffic of an agent so far. Sums over its conversations. */
export interface AgentTraffic {
  readonly conversations: number;
  /** The latest of them. */
  readonly latest: readonly ObservedConversation[];
  readonly requests: number;
  readonly newTokens: number;
  /** Requests whose responses reported their tokens, and the tokens of the last responses. */
  readonly answers: number;
  readonly outputTokens: number;
  /** Searches with tokens: the tokens that they added to the prompt, and those of the responses that searched. */
  readonly searches: number;
  readonly searchTokens: number;
  readonly searchOutput: number;
  /** Later requests whose conversation may have been cached, and those of which the cache held the head at most. */
  readonly turns: number;
  readonly coldTurns: number;
  /**
   * Conversations that began after another request of the agent, and those of them that began within the
   * lifetime of a cache.
   */
  readonly starts: number;
  readonly warmStarts: number;
  /**
   * Conversations with deferred tools that began while an earlier head was cached, by the time, and those of
   * them whose head was read from the cache, by the provider's counts.
   */
  readonly warmDeferredStarts: number;
  readonly sharedStarts: number;
}

/** A decision for the conversations of an agent that begin from now on. */
export const DeferralDecision = z.object({
  defers: z.boolean(),
  /** The bills that it rests on. */
  bills: z.object({ direct: z.number(), deferred: z.number() }),
  /** Time of the last review, in milliseconds since the epoch; absent before the first. */
  reviewedAt: z.number().optional(),
});
export type DeferralDecision = z.infer<typeof DeferralDecision>;

/**
 * Assumptions about an agent that is not known yet: short conversations with a search or two, in a busy place,
 * where the cache is warm. They weigh as much as one observed conversation. Searches and their tokens are means
 * over the recordings of `bench:money` and three other public ones, scaled to this length.
 */
const ASSUMED = {
  requests: 6,
  newTokens: 500,
  outputTokens: 100,
  searches: 1.5,
  /** Tokens of a search and its result, apart from found definitions. */
  searchTokens: 150,
  searchOutput: 50,
  warmShare: 0.9,
};

/** Share of the direct bill that deferring must save at least. */
const MARGIN = 0.05;

/** Largest shares of conversations that may cost more than their direct bill, by how much more. */
const MOST_DEARER = [
  { by: 0.02, share: 0.25 },
  { by: 0.1, share: 0.1 },
];

/** Conversations before the first review of a decision, and the time between two reviews. */
const FIRST_REVIEW_AFTER = 20;
const REVIEW_EVERY_MS = 24 * 3_600_000;

/** Returns the profile of an agent: its traffic so far, and the assumptions while there is little. */
export function profileOf({
  traffic,
  sharesHeads,
  sizes,
}: Pick<DeferralQuestion, 'traffic' | 'sharesHeads' | 'sizes'>): ConversationProfile {
  const perRequest = (assumed: number, sum: number, requests: number) =>
    (ASSUMED.requests * assumed + sum) / (ASSUMED.requests + requests);
  const each = (assumed: number, sum: number, count: number) => (assumed + sum) / (1 + count);
  return {
    kinds: kindsOf(traffic.latest),
    newTokens: perRequest(ASSUMED.newTokens, traffic.newTokens, traffic.requests),
    outputTokens: perRequest(ASSUMED.outputTokens, traffic.outputTokens, traffic.answers),
    searchTokens: each(ASSUMED.searchTokens + sizes.found, traffic.searchTokens, traffic.searches),
    searchOutput: each(ASSUMED.searchOutput, traffic.searchOutput, traffic.searches),
    coldTurns: perRequest(0, traffic.coldTurns, traffic.turns),
    warmShare: each(ASSUMED.warmShare, traffic.warmStarts, traffic.starts),
    sharedHeads: each(sharesHeads ? 1 : 0, traffic.sharedStarts, traffic.warmDeferredStarts),
  };
}

/**
 * Returns the kinds of an agent's conversations. Where searches were not observed, their number is spread as
 * chance spreads rare events (Poisson's distribution), around a mean that grows with the root of the length:
 * long conversations return to tools that they have found before, as texts return to words (Heaps' law).
 */
function kindsOf(latest: readonly ObservedConversation[]): ConversationKind[] {
  let [searches, roots] = [ASSUMED.searches, Math.sqrt(ASSUMED.requests)];
  for (const one of latest) {
    if (one.searches === undefined) continue;
    searches += one.searches;
    roots += Math.sqrt(one.requests);
  }
  const kinds = new Map<string, ConversationKind>();
  const add = (requests: number, made: number, weight: number) => {
    const key = `${requests} ${made}`;
    const before = kinds.get(key)?.weight ?? 0;
    kinds.set(key, { requests, searches: made, weight: before + weight });
  };
  const addByChance = (requests: number) => {
    const chances = chancesOf((searches / roots) * Math.sqrt(requests));
    for (const [made, chance] of chances.entries()) add(requests, made, chance);
  };
  addByChance(ASSUMED.requests);
  for (const { requests, searches: made } of latest) {
    if (made === undefined) addByChance(requests);
    else add(requests, made, 1);
  }
  return [...kinds.values()];
}

/** Chance of all numbers of events that are left out. */
const LEFT_OUT = 0.001;

/** Returns the chances of 0, 1, 2, … rare events with this mean, by Poisson's distribution. */
function chancesOf(mean: number): number[] {
  const chances = [Math.exp(-mean)];
  for (let rest = 1 - chances[0]!; rest > LEFT_OUT; rest -= chances.at(-1)!) {
    chances.push((chances.at(-1)! * mean) / chances.length);
  }
  return chances;
}

/** The basis of a decision. */
export interface DeferralQuestion {
  readonly traffic: AgentTraffic;
  /** Whether conversations with deferred tools are expected to share their heads. */
  readonly sharesHeads: boolean;
  readonly sizes: PromptSizes;
  readonly terms: CacheTerms;
  /** The decision so far; undefined if there is none. */
  readonly before: DeferralDecision | undefined;
  /** Whether tools are deferred until there is a decision. */
  readonly isOnTrial: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Decides whether an agent's new conversations defer their tools: if that is expected to be cheaper by 5 %, and
 * dearer for few of them. Undefined during a trial: for 20 conversations, unless it is expected to be dearer by
 * 5 %. A decision is reviewed first after 20 conversations, and once a day after that: a change costs a new
 * head in the cache. A decision to defer ends earlier if continuing until the review would cost more than a
 * change. Pure.
 */
export function decideDeferral(question: DeferralQuestion): DeferralDecision | undefined {
  const { traffic, sizes, terms, before, isOnTrial, now } = question;
  const isKnown = traffic.conversations >= FIRST_REVIEW_AFTER;
  const isTried =
    !isKnown && (before === undefined ? isOnTrial : before.defers && before.reviewedAt === undefined);
  if (before !== undefined && !isTried && !(isKnown && isDue(before, now))) return before;
  const { bills, shareDearer } = estimateBills(profileOf(question), sizes, terms);
  if (isTried && bills.deferred - bills.direct < costToStop(question, bills)) return before;
  const observed = traffic.latest.filter(({ searches }) => searches !== undefined).length;
  const isEven = MOST_DEARER.every(({ by, share }) => shareDearer(by) <= share + errorOf(share, observed));
  const defers = bills.deferred < (1 - MARGIN) * bills.direct && isEven;
  return { defers, bills, ...(isKnown && { reviewedAt: now }) };
}

/**
 * Returns the extra cost of a conversation over its direct bill from which deferring ends before the first
 * review: a margin in a trial; after a decision, its share of the price of a new head in the cache.
 */
function costToStop({ before, traffic, sizes, terms }: DeferralQuestion, { direct }: Bills): number {
  if (before === undefined) return MARGIN * direct;
  const { input, cachedInput = input, cacheWrite = input } = terms.rates;
  const change = sizes.directHead * Math.max(0, cacheWrite - cachedInput);
  return change / (FIRST_REVIEW_AFTER - traffic.conversations);
}

function isDue({ reviewedAt }: DeferralDecision, now: number): boolean {
  return reviewedAt === undefined || now - reviewedAt >= REVIEW_EVERY_MS;
}

/** Returns the standard error of a share that this many conversations, and the assumed one, show. */
function errorOf(share: number, observed: number): number {
  return Math.sqrt((share * (1 - share)) / (1 + observed));
}
