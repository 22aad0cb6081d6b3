import { describe, expect, test } from 'vitest';
import {
  type CacheTerms,
  type ConversationProfile,
  estimateBills,
  type PromptSizes,
} from '../../src/prices/estimate-bills.ts';

/** Anthropic's usual ratios. */
const TERMS: CacheTerms = {
  rates: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
  isCached: true,
  minimum: 1_024,
};
const PROFILE: Omit<ConversationProfile, 'kinds'> = {
  newTokens: 100,
  outputTokens: 0,
  searchTokens: 1_300,
  searchOutput: 50,
  coldTurns: 0,
  warmShare: 0,
  sharedHeads: 1,
};
const SIZES: PromptSizes = {
  directHead: 20_000,
  deferredHead: 5_000,
  preloaded: 0,
  found: 1_000,
  loadsAtEnd: true,
};

const conversations = (requests: number, searches = 0, weight = 1) => ({ requests, searches, weight });
const estimate = (
  profile: Partial<ConversationProfile> = {},
  sizes: Partial<PromptSizes> = {},
  terms: Partial<CacheTerms> = {},
) =>
  estimateBills(
    { kinds: [conversations(2)], ...PROFILE, ...profile },
    { ...SIZES, ...sizes },
    { ...TERMS, ...terms },
  );
const bills = (...changes: Parameters<typeof estimate>) => estimate(...changes).bills;
const near = (amount: number) => expect.closeTo(amount, 6);

describe('the bill of a conversation', () => {
  test('reads from the cache what the request before has left there', () => {
    expect(bills()).toEqual({
      direct: near(1.25 * 20_100 + 0.1 * 20_100 + 1.25 * 100),
      deferred: near(1.25 * 5_100 + 0.1 * 5_100 + 1.25 * 100),
    });
  });

  test('reads no more than its head where nothing after it is marked', () => {
    expect(bills({}, {}, { isHeadOnly: true })).toEqual({
      direct: near(1.25 * 20_000 + 100 + 0.1 * 20_000 + 200),
      deferred: near(1.25 * 5_000 + 100 + 0.1 * 5_000 + 200),
    });
    const once = bills({ kinds: [conversations(2, 1)] }, {}, { isHeadOnly: true }).deferred;
    const searched = 1.25 * 5_000 + 100 + 0.1 * 5_000 + 1_400 + 5 * 50 + 0.1 * 5_000 + 1_500;
    expect(once).toEqual(near(searched));
  });

  test('reads no more than its head from the cache after a long pause', () => {
    const profile = { kinds: [conversations(2)], coldTurns: 1 };
    expect(bills(profile)).toEqual({
      direct: near(1.25 * 20_100 + 0.1 * 20_000 + 1.25 * 200),
      deferred: near(1.25 * 5_100 + 0.1 * 5_000 + 1.25 * 200),
    });
    const found = bills({ ...profile, kinds: [conversations(2, 1)] }).deferred;
    expect(found - bills(profile).deferred).toEqual(near(0.1 * 5_100 + 1.25 * 1_300 + 5 * 50 + 1.25 * 1_300));
  });

  test('begins with a cached head as often as conversations begin warm', () => {
    const warm = 0.1 * 20_000 + 1.25 * 100 + 0.1 * 20_100 + 1.25 * 100;
    expect(bills({ warmShare: 1 }).direct).toEqual(near(warm));
    const cold = bills({ warmShare: 0 }).direct;
    expect(bills({ warmShare: 0.5 }).direct).toEqual(near((warm + cold) / 2));
  });

  test('is cold with deferred tools if conversations do not share their head', () => {
    const apart = bills({ warmShare: 1, sharedHeads: 0 });
    expect(apart.deferred).toEqual(near(bills({ warmShare: 0 }).deferred));
    expect(apart.direct).toEqual(near(bills({ warmShare: 1 }).direct));
  });

  test('pays for preloaded tools once in each conversation, also where its head is cached', () => {
    const profile = { warmShare: 1 };
    const preloading = bills(profile, { preloaded: 800 });
    expect(preloading.deferred - bills(profile).deferred).toEqual(near(1.35 * (800 + 180)));
    expect(preloading.direct).toEqual(bills(profile).direct);
  });

  test('pays for a search: its call, and the prompt with what was found', () => {
    const one = bills({ kinds: [conversations(1, 1)] }).deferred;
    expect(one).toEqual(near(1.25 * 5_100 + 5 * 50 + 0.1 * 5_100 + 1.25 * 1_300));
  });

  test('pays for responses both ways', () => {
    const [silent, talking] = [bills(), bills({ outputTokens: 30 })];
    expect(talking.direct - silent.direct).toEqual(near(2 * 5 * 30));
    expect(talking.deferred - silent.deferred).toEqual(near(2 * 5 * 30));
  });

  test('is the mean over the kinds of conversations, by their weights', () => {
    const kinds = [conversations(1, 1, 3), conversations(4, 0, 1)];
    const [short, long] = kinds.map((kind) => bills({ kinds: [kind] }));
    expect(bills({ kinds })).toEqual({
      direct: near((3 * short!.direct + long!.direct) / 4),
      deferred: near((3 * short!.deferred + long!.deferred) / 4),
    });
  });

  test('reads everything again after a search whose tools join the others', () => {
    const swap = bills({ kinds: [conversations(1, 1)] }, { loadsAtEnd: false }).deferred;
    expect(swap).toEqual(near(1.25 * 5_100 + 5 * 50 + 1.25 * 6_400));
  });

  test('has no cache for a prompt below the least one, and none without marks', () => {
    expect(bills({}, { deferredHead: 3_000 }, { minimum: 4_096 }).deferred).toEqual(near(3_100 + 3_200));
    expect(bills({}, {}, { isCached: false })).toEqual({ direct: near(40_300), deferred: near(10_300) });
  });

  test('stays bounded for endless conversations', () => {
    expect(bills({ kinds: [conversations(1e9)] })).toEqual(bills({ kinds: [conversations(200)] }));
  });
});

describe('the share of dearer conversations', () => {
  const share = (by: number) =>
    estimate({
      kinds: [conversations(2, 0, 2), conversations(2, 1, 3), conversations(2, 2, 5)],
      searchTokens: 2_300,
      warmShare: 1,
    }).shareDearer(by);

  test('is that of the kinds whose deferred bill exceeds the direct one by so much', () => {
    // Two requests without Winnow cost 4,260. Deferring costs 1,260 and about 3,800 for each search.
    expect(share(0.02)).toBeCloseTo(0.8, 9);
    expect(share(0.3)).toBeCloseTo(0.5, 9);
    expect(share(2)).toBe(0);
  });
});

describe('deferring', () => {
  const pays = (tools: number, sharedHeads: number, loadsAtEnd: boolean) => {
    const own = {
      directHead: tools * 170 + 15_000,
      deferredHead: 15_500,
      preloaded: 0,
      found: 850,
      loadsAtEnd,
    };
    const profile = {
      kinds: [conversations(7, 1)],
      newTokens: 400,
      searchTokens: 1_150,
      warmShare: 1,
      sharedHeads,
    };
    const { direct, deferred } = bills(profile, own);
    return deferred / direct;
  };

  test('loses with a warm cache where it changes the head, and wins where the head stays', () => {
    expect(pays(100, 0, false)).toBeGreaterThan(1.3);
    expect(pays(100, 1, true)).toBeLessThan(0.95);
    expect(pays(20, 1, true)).toBeGreaterThan(0.95);
  });
});
