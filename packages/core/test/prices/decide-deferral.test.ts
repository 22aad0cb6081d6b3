import { describe, expect, test } from 'vitest';
import {
  type AgentTraffic,
  type DeferralQuestion,
  decideDeferral,
  profileOf,
} from '../../src/prices/decide-deferral.ts';
import type { ConversationKind, ConversationProfile } from '../../src/prices/estimate-bills.ts';

const DAY_MS = 24 * 3_600_000;
const NONE: AgentTraffic = {
  conversations: 0,
  latest: [],
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
};
const conversations = (count: number, requests: number, searches?: number) =>
  Array.from({ length: count }, () => ({ requests, searches }));
/** Short cold conversations without a search. */
const COLD: AgentTraffic = {
  ...NONE,
  conversations: 100,
  latest: conversations(100, 2, 0),
  requests: 200,
  newTokens: 20_000,
  starts: 100,
};
/** Warm conversations with two searches each. */
const WARM: AgentTraffic = { ...COLD, warmStarts: 100, latest: conversations(100, 2, 2) };

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
  isOnTrial: false,
  now: 10 * DAY_MS,
};
const BILLS = { direct: 2, deferred: 1 };

describe('the profile of an agent', () => {
  const profileWith = (traffic: Partial<AgentTraffic>, sharesHeads = false) =>
    profileOf({ ...QUESTION, sharesHeads, traffic: { ...NONE, ...traffic } });
  /** The mean number of searches in conversations of this length. */
  const searchesIn = ({ kinds }: ConversationProfile, length: number) => {
    const alike = kinds.filter(({ requests }) => requests === length);
    const sum = (value: (kind: ConversationKind) => number) =>
      alike.reduce((total, kind) => total + value(kind), 0);
    return sum(({ searches, weight }) => searches * weight) / sum(({ weight }) => weight);
  };

  test('is assumed at first', () => {
    const profile = profileWith({}, true);
    expect(profile).toMatchObject({
      newTokens: 500,
      outputTokens: 100,
      searchTokens: 150 + QUESTION.sizes.found,
      searchOutput: 50,
      warmShare: 0.9,
      sharedHeads: 1,
    });
    expect(searchesIn(profile, 6)).toBeCloseTo(1.5, 1);
    expect(profileWith({}).sharedHeads).toBe(0);
  });

  test('is observed in the end', () => {
    const profile = profileWith({
      requests: 3e6,
      newTokens: 9e8,
      answers: 1e6,
      outputTokens: 7e7,
      searches: 1e6,
      searchTokens: 4e8,
      searchOutput: 2e7,
      turns: 1e6,
      coldTurns: 3e5,
      starts: 1e6,
      warmStarts: 5e5,
      warmDeferredStarts: 4e5,
      sharedStarts: 1e5,
    });
    expect(profile).toMatchObject({
      newTokens: expect.closeTo(300, 1),
      outputTokens: expect.closeTo(70, 1),
      searchTokens: expect.closeTo(400, 1),
      searchOutput: expect.closeTo(20, 1),
      coldTurns: expect.closeTo(0.3, 3),
      warmShare: expect.closeTo(0.5, 3),
      sharedHeads: expect.closeTo(0.25, 3),
    });
  });

  test('has the lengths and searches of observed conversations, next to one that is assumed', () => {
    const latest = [...conversations(3, 2, 0), ...conversations(2, 9, 4)];
    const { kinds } = profileWith({ latest });
    expect(kinds).toContainEqual({ requests: 2, searches: 0, weight: 3 });
    expect(kinds).toContainEqual({ requests: 9, searches: 4, weight: 2 });
    const others = kinds.filter(({ requests }) => requests === 6);
    expect(others.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 2);
  });

  test('spreads searches that were not observed, more of them in longer conversations', () => {
    const profile = profileWith({ latest: conversations(4, 24) });
    expect(searchesIn(profile, 24)).toBeCloseTo(3, 1);
    const seldom = profileWith({ latest: [...conversations(4, 24), ...conversations(50, 6, 0)] });
    expect(searchesIn(seldom, 24)).toBeLessThan(0.1);
  });
});

describe('the decision', () => {
  const decided = (changes: Pick<DeferralQuestion, 'traffic'> & Partial<DeferralQuestion>) =>
    decideDeferral({ ...QUESTION, ...changes })!;

  test('follows the cheaper bill, with a margin of 5 %', () => {
    expect(decided({ traffic: COLD }).defers).toBe(true);
    expect(decided({ traffic: WARM }).defers).toBe(false);
    // Equal heads: deferring saves nothing, and is not worth it.
    const sizes = { ...QUESTION.sizes, deferredHead: 11_600 };
    const { defers, bills } = decided({ sizes, sharesHeads: true, traffic: COLD });
    expect(bills.deferred / bills.direct).toBeGreaterThan(0.95);
    expect(defers).toBe(false);
  });

  // Two requests cost .62 of their direct bill without a search, 1.04 with one, and 1.47 with two.
  const LARGE = { ...QUESTION.sizes, deferredHead: 5_000, found: 450, loadsAtEnd: true };
  const searching = (count: number, others: number, searches: number) => ({
    ...WARM,
    latest: [...conversations(count, 2, searches), ...conversations(others, 2, 0)],
  });
  const decide = (traffic: AgentTraffic) => decided({ sizes: LARGE, sharesHeads: true, traffic });

  test('passes where more than a quarter of the conversations would be dearer', () => {
    for (const [count, defers] of [
      [20, true],
      [40, false],
    ] as const) {
      const { bills, ...decision } = decide(searching(count, 100 - count, 1));
      expect(bills.deferred / bills.direct).toBeLessThan(0.95);
      expect(decision.defers).toBe(defers);
    }
  });

  test('passes where more than a tenth would be dearer by over 10 %', () => {
    expect(decide(searching(5, 95, 2)).defers).toBe(true);
    expect(decide(searching(20, 80, 2)).defers).toBe(false);
  });

  test('allows for chance where few conversations were observed', () => {
    expect(decide(searching(6, 14, 1)).defers).toBe(true);
    expect(decide(searching(30, 70, 1)).defers).toBe(false);
  });

  test('without a cache, counts tokens', () => {
    const terms = { ...QUESTION.terms, isCached: false };
    expect(decided({ terms, traffic: NONE }).defers).toBe(true);
  });

  test('is reviewed first after 20 conversations', () => {
    const before = { defers: true, bills: BILLS };
    const sizes = { ...QUESTION.sizes, deferredHead: 11_600 };
    const even = { ...QUESTION, sizes, sharesHeads: true, before };
    expect(decideDeferral({ ...even, traffic: { ...COLD, conversations: 19 } })).toBe(before);
    expect(decideDeferral({ ...even, traffic: { ...COLD, conversations: 20 } })).toMatchObject({
      defers: false,
      reviewedAt: QUESTION.now,
    });
  });

  test('ends before that if what it costs until then is more than a new head in the cache', () => {
    const at = (conversations: number, changes: Partial<DeferralQuestion> = {}) =>
      decideDeferral({
        ...QUESTION,
        ...{ sizes: LARGE, sharesHeads: true, before: { defers: true, bills: BILLS } },
        ...changes,
        traffic: { ...WARM, conversations },
      })!;
    const { bills, defers } = at(2);
    // 18 conversations more would cost more than the head of 12,000 tokens at 1.15.
    expect(18 * (bills.deferred - bills.direct)).toBeGreaterThan(12_000 * 1.15);
    expect(defers).toBe(false);
    expect(at(19).bills).toBe(BILLS);
    expect(at(2, { before: { defers: true, bills: BILLS, reviewedAt: QUESTION.now } }).bills).toBe(BILLS);
    expect(at(2, { before: { defers: false, bills: BILLS } }).bills).toBe(BILLS);
  });

  test('is reviewed once a day', () => {
    const before = { defers: true, bills: BILLS, reviewedAt: QUESTION.now - DAY_MS + 1 };
    expect(decideDeferral({ ...QUESTION, before, traffic: WARM })).toBe(before);
    const old = { ...before, reviewedAt: QUESTION.now - DAY_MS };
    expect(decided({ before: old, traffic: WARM }).defers).toBe(false);
  });

  test('that is confirmed after 20 conversations is kept for a day', () => {
    const before = { defers: true, bills: BILLS };
    const traffic = { ...COLD, conversations: 20 };
    const reviewed = decideDeferral({ ...QUESTION, before, traffic });
    expect(reviewed).toMatchObject({ defers: true, reviewedAt: QUESTION.now });
    const now = QUESTION.now + DAY_MS - 1;
    expect(decideDeferral({ ...QUESTION, before: reviewed, traffic: WARM, now })).toBe(reviewed);
  });

  describe('on a trial', () => {
    const onTrial = (changes: Pick<DeferralQuestion, 'traffic'> & Partial<DeferralQuestion>) =>
      decideDeferral({ ...QUESTION, isOnTrial: true, ...changes });
    const few = (traffic: AgentTraffic) => ({ ...traffic, conversations: 19 });

    test('waits for 20 conversations', () => {
      const sizes = { ...QUESTION.sizes, deferredHead: 11_600 };
      const equal = { sizes, sharesHeads: true, traffic: COLD };
      expect(decided(equal).defers).toBe(false);
      expect(onTrial({ ...equal, traffic: few(COLD) })).toBeUndefined();
      expect(onTrial({ traffic: few(COLD) })).toBeUndefined();
      expect(onTrial({ traffic: { ...COLD, conversations: 20 } })).toMatchObject({
        defers: true,
        reviewedAt: QUESTION.now,
      });
    });

    test('ends at once where deferring is dearer', () => {
      const decision = onTrial({ traffic: few(WARM) })!;
      expect(decision.bills.deferred).toBeGreaterThan(1.05 * decision.bills.direct);
      expect(decision.defers).toBe(false);
      expect(decision.reviewedAt).toBeUndefined();
    });
  });
});
