import { describe, expect, test } from 'vitest';
import { type AgentTraffic, decideDeferral, profileOf } from '../src/decide-deferral.ts';

const DAY_MS = 24 * 3_600_000;
const NONE: AgentTraffic = {
  conversations: 0,
  requests: 0,
  newTokens: 0,
  warmStarts: 0,
  deferredRequests: 0,
  searches: 0,
  warmDeferredStarts: 0,
  sharedStarts: 0,
};
/** Short cold conversations without a search. */
const COLD: AgentTraffic = {
  ...NONE,
  conversations: 200,
  requests: 400,
  newTokens: 40_000,
  deferredRequests: 400,
};
/** Warm conversations with two searches each. */
const WARM: AgentTraffic = { ...COLD, warmStarts: 200, searches: 400 };

const QUESTION = {
  sizes: {
    directHead: 12_000,
    deferredHead: 7_000,
    preloaded: 0,
    found: 800,
    loadsAtEnd: false,
  },
  sharesHeads: false,
  terms: {
    rates: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
    isCached: true,
    minimum: 1_024,
  },
  before: undefined,
  now: 10 * DAY_MS,
};
const BILLS = { direct: 2, deferred: 1 };

describe('the profile of an agent', () => {
  test('is assumed at first, and observed in the end', () => {
    expect(profileOf(NONE, true)).toEqual({
      requests: 6,
      newTokens: 500,
      searches: expect.closeTo(1.2, 9),
      warmShare: 0.9,
      sharedHeads: 1,
    });
    expect(profileOf(NONE, false).sharedHeads).toBe(0);
    const many = profileOf(
      {
        ...WARM,
        conversations: 1e6,
        requests: 3e6,
        newTokens: 9e8,
        warmStarts: 5e5,
        warmDeferredStarts: 4e5,
        sharedStarts: 1e5,
      },
      false,
    );
    expect(many.sharedHeads).toBeCloseTo(0.25, 3);
    expect(many.requests).toBeCloseTo(3, 3);
    expect(many.newTokens).toBeCloseTo(300, 1);
    expect(many.warmShare).toBeCloseTo(0.5, 3);
  });

  test('counts searches per request with deferred tools: others could not search', () => {
    const half = { ...WARM, conversations: 1e6, requests: 4e6, deferredRequests: 2e6, searches: 1e6 };
    expect(profileOf(half, false).searches).toBeCloseTo(2, 3);
  });
});

describe('the decision', () => {
  test('follows the cheaper bill, with a margin of 5 %', () => {
    expect(decideDeferral({ ...QUESTION, traffic: COLD }).defers).toBe(true);
    expect(decideDeferral({ ...QUESTION, traffic: WARM }).defers).toBe(false);
    // Equal heads: deferring saves nothing, and is not worth it.
    const sizes = { ...QUESTION.sizes, deferredHead: 11_600 };
    const { defers, bills } = decideDeferral({ ...QUESTION, sizes, sharesHeads: true, traffic: COLD });
    expect(bills.deferred / bills.direct).toBeGreaterThan(0.95);
    expect(defers).toBe(false);
  });

  test('passes where more than a quarter of the conversations would be dearer', () => {
    const sizes = { ...QUESTION.sizes, deferredHead: 5_000, found: 400, loadsAtEnd: true };
    const decide = (searches: number) =>
      decideDeferral({ ...QUESTION, sizes, sharesHeads: true, traffic: { ...WARM, searches } });
    for (const searches of [40, 120]) {
      const { bills } = decide(searches);
      expect(bills.deferred / bills.direct).toBeLessThan(0.95);
    }
    expect(decide(40).defers).toBe(true);
    expect(decide(120).defers).toBe(false);
  });

  test('without a cache, counts tokens', () => {
    const terms = { ...QUESTION.terms, isCached: false };
    expect(decideDeferral({ ...QUESTION, terms, traffic: NONE }).defers).toBe(true);
  });

  test('changes first after 20 conversations', () => {
    const before = { defers: true, bills: BILLS };
    expect(decideDeferral({ ...QUESTION, before, traffic: { ...WARM, conversations: 19 } })).toBe(before);
    expect(decideDeferral({ ...QUESTION, before, traffic: { ...WARM, conversations: 20 } })).toMatchObject({
      defers: false,
      changedAt: QUESTION.now,
    });
  });

  test('changes once a day at most', () => {
    const before = { defers: true, bills: BILLS, changedAt: QUESTION.now - DAY_MS + 1 };
    expect(decideDeferral({ ...QUESTION, before, traffic: WARM })).toBe(before);
    const old = { ...before, changedAt: QUESTION.now - DAY_MS };
    expect(decideDeferral({ ...QUESTION, before: old, traffic: WARM }).defers).toBe(false);
  });

  test('that is confirmed after 20 conversations is kept for a day', () => {
    const before = { defers: true, bills: BILLS };
    const traffic = { ...COLD, conversations: 20, requests: 40, deferredRequests: 40, newTokens: 4_000 };
    const reviewed = decideDeferral({ ...QUESTION, before, traffic });
    expect(reviewed).toMatchObject({ defers: true, changedAt: QUESTION.now });
    const now = QUESTION.now + DAY_MS - 1;
    expect(decideDeferral({ ...QUESTION, before: reviewed, traffic: WARM, now })).toBe(reviewed);
  });

  test('that is confirmed keeps the time of its last change', () => {
    const before = { defers: true, bills: BILLS, changedAt: 5 };
    expect(decideDeferral({ ...QUESTION, before, traffic: COLD })).toMatchObject({
      defers: true,
      changedAt: 5,
    });
  });
});
