import { z } from 'zod';
import {
  type CacheTerms,
  type ConversationProfile,
  estimateBills,
  type PromptSizes,
  shareOfDearer,
} from './estimate-bills.ts';

/** Traffic of an agent so far. Sums over requests of its conversations. */
export interface AgentTraffic {
  readonly conversations: number;
  readonly requests: number;
  readonly newTokens: number;
  /** Conversations that began within the lifetime of a cache after the agent's request before. */
  readonly warmStarts: number;
  /** Requests whose tools were deferred, and the searches that followed. */
  readonly deferredRequests: number;
  readonly searches: number;
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
  /**
   * Time of the last change, in milliseconds since the epoch, or of the first review; absent before that.
   */
  changedAt: z.number().optional(),
});
export type DeferralDecision = z.infer<typeof DeferralDecision>;

/**
 * Assumptions about an agent that is not known yet: short conversations of about a search each, in a busy
 * place, where the cache is warm. They favour leaving the tools alone: a saving that comes a day later costs
 * less trust than a bill that rises. They weigh as much as `PRIOR_CONVERSATIONS` observed ones.
 */
const ASSUMED_PROFILE: Omit<ConversationProfile, 'sharedHeads'> = {
  requests: 6,
  newTokens: 500,
  searches: 1.2,
  warmShare: 0.9,
};
const PRIOR_CONVERSATIONS = 5;

/** Share of the direct bill that deferring must save at least. */
const MARGIN = 0.05;

/** Largest share of conversations that may cost over 2 % more. */
const MOST_DEARER = 0.25;

/** Conversations before the first change of a decision, and the time between two changes. */
const FIRST_CHANGE_AFTER = 20;
const CHANGE_EVERY_MS = 24 * 3_600_000;

/**
 * Returns the profile of an agent: its traffic so far, and the assumptions while there is little.
 *
 * @param sharesHeads whether conversations with deferred tools are expected to share their heads.
 */
export function profileOf(traffic: AgentTraffic, sharesHeads: boolean): ConversationProfile {
  const { conversations, requests, newTokens, warmStarts, deferredRequests, searches } = traffic;
  const prior = (assumed: number) => assumed * PRIOR_CONVERSATIONS;
  const whole = PRIOR_CONVERSATIONS + conversations;
  const length = (prior(ASSUMED_PROFILE.requests) + requests) / whole;
  const priorRequests = prior(ASSUMED_PROFILE.requests);
  const perRequest = (prior(ASSUMED_PROFILE.searches) + searches) / (priorRequests + deferredRequests);
  return {
    requests: length,
    newTokens: (priorRequests * ASSUMED_PROFILE.newTokens + newTokens) / (priorRequests + requests),
    searches: perRequest * length,
    warmShare: (prior(ASSUMED_PROFILE.warmShare) + warmStarts) / whole,
    sharedHeads:
      (prior(sharesHeads ? 1 : 0) + traffic.sharedStarts) /
      (PRIOR_CONVERSATIONS + traffic.warmDeferredStarts),
  };
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
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Decides whether an agent's new conversations defer their tools: if that is expected to be cheaper by 5 %, and
 * dearer for a quarter of them at most.
 * A decision is reviewed first after 20 conversations, and changes once a day at most: a change costs a new head
 * in the cache. Pure.
 */
export function decideDeferral(question: DeferralQuestion): DeferralDecision {
  const { traffic, sharesHeads, sizes, terms, before, now } = question;
  if (before !== undefined && !mayChange(before, traffic, now)) return before;
  const profile = profileOf(traffic, sharesHeads);
  const bills = estimateBills(profile, sizes, terms);
  const isCheaper = bills.deferred < (1 - MARGIN) * bills.direct;
  const defers = isCheaper && shareOfDearer(profile, sizes, terms) <= MOST_DEARER;
  const isReviewed = before !== undefined && (before.defers !== defers || before.changedAt === undefined);
  const changedAt = isReviewed ? now : before?.changedAt;
  return { defers, bills, ...(changedAt !== undefined && { changedAt }) };
}

function mayChange({ changedAt }: DeferralDecision, { conversations }: AgentTraffic, now: number): boolean {
  if (conversations < FIRST_CHANGE_AFTER) return false;
  return changedAt === undefined || now - changedAt >= CHANGE_EVERY_MS;
}
