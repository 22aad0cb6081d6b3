import type { Rates } from './price-table.ts';

/** Means over the conversations of an agent, observed or assumed. */
export interface ConversationProfile {
  /** Requests of the client in a conversation, at least 1. */
  readonly requests: number;
  /** Tokens that each request adds to the one before it. */
  readonly newTokens: number;
  /** Searches in a conversation whose tools are deferred. */
  readonly searches: number;
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
}

/** The bill of a mean conversation, without what both ways share, in the units of the rates. */
export interface Bills {
  readonly direct: number;
  readonly deferred: number;
}

/** Tokens of a search call and of its result, apart from found definitions. */
const SEARCH_OUTPUT = 50;
const SEARCH_RESULT = 250;

/** Tokens around the definitions of preloaded tools: the means over the formats, as measured by `bench:money`. */
const PRELOAD_TEXT = 180;

/** Most requests that are simulated one by one; longer conversations are taken for this long. */
const MOST_REQUESTS = 200;

/**
 * Estimates what a conversation costs with all tools and with deferred ones, by simulating its requests: each
 * reads from the cache what the one before it left there. A search is one more request; if found definitions
 * join the tools, everything is read anew. The output that both ways share is left out.
 *
 * Source of the rules: the prompt caching pages of Anthropic, OpenAI and Google, 2026.
 */
export function estimateBills(profile: ConversationProfile, sizes: PromptSizes, terms: CacheTerms): Bills {
  const few = Math.floor(profile.searches);
  const deferred = (searches: number) => deferredBill({ ...profile, searches }, sizes, terms);
  return {
    direct: directBill(profile, sizes, terms),
    deferred: mix(deferred(few), deferred(few + 1), profile.searches - few),
  };
}

/** Share of the direct bill above which a conversation counts as dearer. */
const DEARER = 1.02;

/** Most searches of a conversation that are looked at. */
const MOST_SEARCHES = 50;

/**
 * Estimates the share of conversations that cost over 2 % more with deferred tools, if the numbers of their
 * searches are spread around the mean as chance spreads rare events (Poisson's distribution).
 */
export function shareOfDearer(profile: ConversationProfile, sizes: PromptSizes, terms: CacheTerms): number {
  const limit = DEARER * directBill(profile, sizes, terms);
  let chance = Math.exp(-profile.searches);
  let cheaper = 0;
  for (let searches = 0; searches <= MOST_SEARCHES; searches++) {
    if (deferredBill({ ...profile, searches }, sizes, terms) > limit) return 1 - cheaper;
    cheaper += chance;
    chance *= profile.searches / (searches + 1);
  }
  return 0;
}

function directBill(
  profile: ConversationProfile,
  { directHead: head }: PromptSizes,
  terms: CacheTerms,
): number {
  const bill = (isWarm: boolean) => simulate(profile, { ...DIRECT, head, isWarm }, terms);
  return mix(bill(false), bill(true), profile.warmShare);
}

/** Returns the bill of a conversation with a whole number of searches. */
function deferredBill(profile: ConversationProfile, sizes: PromptSizes, terms: CacheTerms): number {
  const { searches, warmShare, sharedHeads } = profile;
  const bill = (isWarm: boolean) =>
    simulate(profile, { ...sizes, head: sizes.deferredHead, searches, isWarm }, terms);
  return mix(bill(false), bill(true), warmShare * sharedHeads);
}

const mix = (one: number, other: number, share: number) => one + (other - one) * share;

interface Course extends Pick<PromptSizes, 'preloaded' | 'found' | 'loadsAtEnd'> {
  readonly head: number;
  readonly searches: number;
  /** Whether the cache holds the head when the conversation begins. */
  readonly isWarm: boolean;
}

const DIRECT = { searches: 0, preloaded: 0, found: 0, loadsAtEnd: true };

/** Returns the cost of a conversation's prompts and search calls. */
function simulate(profile: ConversationProfile, course: Course, terms: CacheTerms): number {
  const requests = Math.min(MOST_REQUESTS, Math.max(1, Math.round(profile.requests)));
  const { head, preloaded, searches, found, loadsAtEnd, isWarm } = course;
  let cached = isWarm ? head : 0;
  let prompt = head + (preloaded > 0 ? preloaded + PRELOAD_TEXT : 0);
  let made = 0;
  let bill = 0;
  for (let request = 0; request < requests; request++) {
    prompt += profile.newTokens;
    bill += promptCost(prompt, cached, terms);
    cached = prompt;
    // Searches are spread over the conversation, the first at its beginning.
    for (; made < searches && Math.floor((made * requests) / searches) <= request; made++) {
      if (!loadsAtEnd) cached = 0;
      prompt += SEARCH_OUTPUT + SEARCH_RESULT + found;
      bill += SEARCH_OUTPUT * terms.rates.output + promptCost(prompt, cached, terms);
      cached = prompt;
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
