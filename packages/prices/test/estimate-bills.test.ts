import { describe, expect, test } from 'vitest';
import {
  type CacheTerms,
  type ConversationProfile,
  estimateBills,
  type PromptSizes,
  shareOfDearer,
} from '../src/estimate-bills.ts';

/** Anthropic's usual ratios. */
const TERMS: CacheTerms = {
  rates: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
  isCached: true,
  minimum: 1_024,
};
const PROFILE: ConversationProfile = {
  requests: 2,
  newTokens: 100,
  searches: 0,
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

const bills = (
  profile: Partial<ConversationProfile> = {},
  sizes: Partial<PromptSizes> = {},
  terms: Partial<CacheTerms> = {},
) => estimateBills({ ...PROFILE, ...profile }, { ...SIZES, ...sizes }, { ...TERMS, ...terms });
const near = (amount: number) => expect.closeTo(amount, 6);

describe('the bill of a conversation', () => {
  test('reads from the cache what the request before has left there', () => {
    expect(bills()).toEqual({
      direct: near(1.25 * 20_100 + 0.1 * 20_100 + 1.25 * 100),
      deferred: near(1.25 * 5_100 + 0.1 * 5_100 + 1.25 * 100),
    });
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
    const profile = { requests: 2, warmShare: 1 };
    const preloading = bills(profile, { preloaded: 800 });
    expect(preloading.deferred - bills(profile).deferred).toEqual(near(1.35 * (800 + 180)));
    expect(preloading.direct).toEqual(bills(profile).direct);
  });

  test('pays for a search: its call, and the prompt with what was found', () => {
    const one = bills({ requests: 1, searches: 1 }).deferred;
    expect(one).toEqual(near(1.25 * 5_100 + 5 * 50 + 0.1 * 5_100 + 1.25 * 1_300));
    const none = bills({ requests: 1, searches: 0 }).deferred;
    expect(bills({ requests: 1, searches: 0.5 }).deferred).toEqual(near((one + none) / 2));
  });

  test('reads everything anew after a search whose tools join the others', () => {
    const swap = bills({ requests: 1, searches: 1 }, { loadsAtEnd: false }).deferred;
    expect(swap).toEqual(near(1.25 * 5_100 + 5 * 50 + 1.25 * 6_400));
  });

  test('has no cache for a prompt below the least one, and none without marks', () => {
    expect(bills({}, { deferredHead: 3_000 }, { minimum: 4_096 }).deferred).toEqual(near(3_100 + 3_200));
    expect(bills({}, {}, { isCached: false })).toEqual({ direct: near(40_300), deferred: near(10_300) });
  });

  test('stays bounded for endless conversations', () => {
    expect(bills({ requests: 1e9 })).toEqual(bills({ requests: 200 }));
  });
});

describe('the share of dearer conversations', () => {
  const share = (searches: number, found: number) =>
    shareOfDearer({ ...PROFILE, warmShare: 1, searches }, { ...SIZES, found }, TERMS);

  test('is that of conversations with so many searches that deferring no longer pays', () => {
    // Without a search, 5,000 tokens are cheaper than 20,000; two searches of 2,000 tokens are not.
    expect(share(0.7, 2_000)).toBeCloseTo(1 - Math.exp(-0.7) * 1, 9);
    expect(share(0.7, 700)).toBeCloseTo(1 - Math.exp(-0.7) * (1 + 0.7), 9);
    expect(share(0, 2_000)).toBeCloseTo(0, 9);
  });

  test('is nothing where no number of searches costs more', () => {
    expect(shareOfDearer({ ...PROFILE, searches: 1 }, { ...SIZES, directHead: 2e6 }, TERMS)).toBe(0);
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
    const profile = { requests: 7, newTokens: 400, searches: 1, warmShare: 1, sharedHeads };
    const { direct, deferred } = bills(profile, own);
    return deferred / direct;
  };

  test('loses with a warm cache where it changes the head, and wins where the head stays', () => {
    expect(pays(100, 0, false)).toBeGreaterThan(1.3);
    expect(pays(100, 1, true)).toBeLessThan(0.95);
    expect(pays(20, 1, true)).toBeGreaterThan(0.95);
  });
});
