import type { Rates } from './price-table.ts';

/** Conversations of one length and one number of searches. */
export interface ConversationKind {
  /** Requests of the client in a conversation, at least 1. */
  readonly requests: number;
  /** Searches in a conversation whose tools are deferred, each of them one more request. */
  readonly searches: number;
  /** The weight of these conversations among all. */
  readonly weight: number;
}

/** The conversations of an agent, observed or assumed. */
export interface ConversationProfile {
  /** At least one kind. */
  readonly kinds: readonly ConversationKind[];
  /** Tokens that each request adds to the one before it. */
  readonly newTokens: number;
  /** Tokens of the response to each request. */
  readonly outputTokens: number;
  /** Tokens that a search adds to the prompt: its call, its result, and found definitions. */
  readonly searchTokens: number;
  /** Tokens of the response that searches. */
  readonly searchOutput: number;
  /** Share of later requests of which the cache holds no more than the head: their user has thought for long. */
  readonly coldTurns: number;
  /** Share of conversations that begin while the provider's cache holds the head of an earlier one. */
  readonly warmShare: number;
  /** The part of these whose head is the same as an earlier one's with deferred tools, too. */
  readonly sharedHeads: number;
}

/** Sizes of an agent's prompts with and without deferring, in tokens. */
export interface PromptSizes {
  /** All tools and the system prompt. */
  readonly directHead: number;
  /** The same with the deferred tools left out, and the search tool added. */
  readonly deferredHead: number;
  /** Definitions of preloaded tools that follow this head, and differ from conversation to conversation. */
  readonly preloaded: number;
  /** Definitions that one search makes visible. */
  readonly found: number;
  /** Whether found definitions follow the prompt so far; otherwise they join the tools in front of it. */
  readonly loadsAtEnd: boolean;
}

/** The rates and rules by which a provider charges for prompts. */
export interface CacheTerms {
  readonly rates: Rates;
  /** Whether prompts are cached at all. */
  readonly isCached: boolean;
  /** Tokens below which a prompt is not cached. */
  readonly minimum: number;
  /** Whether no more than the beginning of a prompt is cached, because the client marks nothing after it. */
  readonly isHeadOnly?: boolean;
}

/** The mean bill of a conversation, in the units of the rates. */
export interface Bills {
  readonly direct: number;
  readonly deferred: number;
}

/** An estimate of an agent's bills. */
export interface BillsEstimate {
  readonly bills: Bills;
  /** Returns the share of conversations that cost more with deferred tools by over this share of their direct bill. */
  readonly shareDearer: (by: number) => number;
}

/** Tokens around the definitions of preloaded tools: the means over the formats, as measured by `bench:money`. */
const PRELOAD_TEXT = 180;

/** Maximum number of requests to simulate one by one; longer conversations count as this long. */
const MOST_REQUESTS = 200;

/**
 * Estimates what an agent's conversations cost with all tools and with deferred ones, by simulating the
 * requests of each kind: each request reads from the cache what the one before it left there. A search is one
 * more request; if found definitions join the tools, everything is read again in full.
 *
 * Source of the rules: the prompt caching pages of Anthropic, OpenAI and Google, 2026.
 */
export function estimateBills(
  profile: ConversationProfile,
  sizes: PromptSizes,
  terms: CacheTerms,
): BillsEstimate {
  const priced = profile.kinds.map((kind) => ({
    weight: kind.weight,
    direct: directBill({ ...profile, ...kind }, sizes, terms),
    deferred: deferredBill({ ...profile, ...kind }, sizes, terms),
  }));
  type Priced = (typeof priced)[number];
  const mean = (value: (one: Priced) => number) => {
    const total = priced.reduce((sum, one) => sum + one.weight * value(one), 0);
    return total / priced.reduce((sum, { weight }) => sum + weight, 0);
  };
  return {
    bills: { direct: mean(({ direct }) => direct), deferred: mean(({ deferred }) => deferred) },
    shareDearer: (by) => mean(({ direct, deferred }) => (deferred > (1 + by) * direct ? 1 : 0)),
  };
}

/** Conversations of one kind. */
interface Conversations extends Omit<ConversationProfile, 'kinds'>, ConversationKind {}

function directBill(all: Conversations, { directHead: head }: PromptSizes, terms: CacheTerms): number {
  const bill = (isWarm: boolean) => simulate({ ...all, ...DIRECT, head, isWarm }, terms);
  return mix(bill(false), bill(true), all.warmShare);
}

function deferredBill(all: Conversations, sizes: PromptSizes, terms: CacheTerms): number {
  const { preloaded, loadsAtEnd, deferredHead: head } = sizes;
  const bill = (isWarm: boolean) => simulate({ ...all, preloaded, loadsAtEnd, head, isWarm }, terms);
  return mix(bill(false), bill(true), all.warmShare * all.sharedHeads);
}

const mix = (one: number, other: number, share: number) => one + (other - one) * share;

interface Course extends Conversations, Pick<PromptSizes, 'preloaded' | 'loadsAtEnd'> {
  readonly head: number;
  /** Whether the cache holds the head when the conversation begins. */
  readonly isWarm: boolean;
}

const DIRECT = { searches: 0, preloaded: 0, loadsAtEnd: true };

/** Returns the cost of a conversation. */
function simulate(course: Course, terms: CacheTerms): number {
  const { head, preloaded, searches, loadsAtEnd, isWarm } = course;
  const requests = Math.min(MOST_REQUESTS, course.requests);
  let cached = isWarm ? head : 0;
  let prompt = head + (preloaded > 0 ? preloaded + PRELOAD_TEXT : 0);
  const most = terms.isHeadOnly ? prompt : Number.POSITIVE_INFINITY;
  const take = () => {
    const marked = Math.min(prompt, most);
    const cost = promptCost(marked, cached, terms) + (prompt - marked) * terms.rates.input;
    cached = marked;
    return cost;
  };
  let made = 0;
  let bill = 0;
  for (let request = 0; request < requests; request++) {
    prompt += course.newTokens;
    if (request > 0) cached -= course.coldTurns * Math.max(0, cached - head);
    bill += course.outputTokens * terms.rates.output + take();
    // Searches are spread over the conversation, the first at its beginning.
    for (; made < searches && Math.floor((made * requests) / searches) <= request; made++) {
      if (!loadsAtEnd) cached = 0;
      prompt += course.searchTokens;
      bill += course.searchOutput * terms.rates.output + take();
    }
  }
  return bill;
}

/** Returns the cost of a prompt of which the cache was left this much. */
function promptCost(prompt: number, cached: number, { rates, isCached, minimum }: CacheTerms): number {
  if (!isCached || rates.cachedInput === undefined || prompt < minimum) return prompt * rates.input;
  const read = cached < minimum ? 0 : cached;
  return read * rates.cachedInput + (prompt - read) * (rates.cacheWrite ?? rates.input);
}
