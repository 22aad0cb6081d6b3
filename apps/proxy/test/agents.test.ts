import { PRICES, type PromptSizes, termsOf, usualTerms } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import type { AgentTerms, FinishedExchange } from '../src/strategies/agent-traffic.ts';
import { Agents } from '../src/strategies/agents.ts';

const MINUTE = 60_000;
const SIZES = {
  directHead: 20_000,
  deferredHead: 15_500,
  preloaded: 0,
  found: 850,
  loadsAtEnd: false,
};
const TERMS: AgentTerms = {
  model: termsOf(PRICES, 'claude-opus-5', true),
  isUsual: false,
  isMarked: true,
};
const UNPRICED: AgentTerms = {
  model: usualTerms(PRICES, 'openai'),
  isUsual: true,
  isMarked: undefined,
};
const measured = (sizes: PromptSizes, terms: AgentTerms) => ({ sizes, terms, sharesHeads: false });
const FIRST = { id: 'a', isFirst: true, isDeferring: true, newTokens: 100, place: 'p' };

function agentsAt() {
  const clock = { now: 0 };
  const agents = new Agents({ now: () => clock.now, wallClock: () => 1_000_000 + clock.now });
  const learn = (usage: FinishedExchange['usage']) =>
    agents.learn({ agent: { id: 'a' }, planReason: 'deferred', searches: [], usage });
  return { agents, clock, learn };
}
const READ = { inputTokens: 9_000, outputTokens: 1, cachedInputTokens: 8_000 };
const UNREAD = { inputTokens: 9_000, outputTokens: 1, cachedInputTokens: 0 };

describe('an agent', () => {
  test('is met with the time since its last request of the same treatment', () => {
    const { agents, clock } = agentsAt();
    expect(agents.meet(FIRST)).toEqual({ id: 'a', isFirst: true });
    clock.now = 7;
    expect(agents.meet({ ...FIRST, isFirst: false, isDeferring: false })).toEqual({ id: 'a' });
    clock.now = 10;
    expect(agents.meet({ ...FIRST, isFirst: false })).toEqual({ id: 'a', idleMs: 10 });
    expect(agents.meet({ ...FIRST, id: 'b' })).toEqual({ id: 'b', isFirst: true });
  });

  test('is left to fixed thresholds until a plan has measured it', () => {
    const { agents } = agentsAt();
    expect(agents.decide('a')).toBeUndefined();
    agents.measure('a', measured(SIZES, TERMS));
    expect(agents.decide('a')).toMatchObject({ defers: false });
    expect(agents.meet(FIRST)).toMatchObject({ passes: true });
  });

  test.each([true, false])('whose conversations mark their latest messages defers: %s', (marks) => {
    const { agents } = agentsAt();
    agents.meet(FIRST);
    agents.meet({ ...FIRST, isFirst: false, marksLatest: marks });
    // A first request says less than a later one.
    agents.meet({ ...FIRST, marksLatest: !marks });
    const sizes = { ...SIZES, deferredHead: 5_000, found: 2_000, loadsAtEnd: true };
    agents.measure('a', { ...measured(sizes, TERMS), sharesHeads: true });
    expect(agents.decide('a')).toMatchObject({ defers: marks });
  });

  test('whose first request marks no message passes', () => {
    const { agents } = agentsAt();
    agents.meet({ ...FIRST, marksLatest: false });
    const sizes = { ...SIZES, deferredHead: 5_000, found: 2_000, loadsAtEnd: true };
    agents.measure('a', { ...measured(sizes, TERMS), sharesHeads: true });
    expect(agents.decide('a')).toMatchObject({ defers: false });
  });

  test('is left to fixed thresholds where no model has a price', () => {
    const { agents, learn } = agentsAt();
    agents.measure('a', measured(SIZES, { ...UNPRICED, model: undefined }));
    learn(READ);
    agents.measure('a', measured(SIZES, { ...UNPRICED, model: undefined }));
    expect(agents.decide('a')).toBeUndefined();
  });

  test('of a model without a price is left to fixed thresholds until a response shows a cache, then is measured again', () => {
    const { agents, learn } = agentsAt();
    agents.meet(FIRST);
    agents.measure('a', measured(SIZES, UNPRICED));
    learn(UNREAD);
    learn({ inputTokens: 9_000, outputTokens: 1 });
    expect(agents.hasCache('a')).toBe(false);
    expect(agents.decide('a')).toBeUndefined();
    learn(READ);
    expect(agents.hasCache('a')).toBe(true);
    // Swapping would be dearer, but new conversations may begin in bridge mode.
    expect(agents.decide('a')).toBeUndefined();
    const inBridge = { ...SIZES, deferredHead: 5_000, loadsAtEnd: true };
    agents.measure('a', { ...measured(inBridge, UNPRICED), sharesHeads: true });
    learn(READ);
    expect(agents.decide('a')).toBeUndefined();
    for (let count = 1; count < 20; count++) agents.meet(FIRST);
    expect(agents.decide('a')).toMatchObject({ defers: true, reviewedAt: 1_000_000 });
  });

  test('of a model without a price whose client marks its prompts is not left to them', () => {
    const { agents } = agentsAt();
    agents.measure('a', measured(SIZES, { ...UNPRICED, isMarked: true }));
    expect(agents.decide('a')).toMatchObject({ defers: false });
  });

  test('knows of the cache that responses to another agent have shown at its place', () => {
    const { agents, learn } = agentsAt();
    agents.meet(FIRST);
    learn(READ);
    for (const [id, place] of [
      ['b', 'p'],
      ['c', 'q'],
    ] as const) {
      agents.measure(id, measured(SIZES, UNPRICED));
      agents.meet({ ...FIRST, id, place });
    }
    expect([agents.hasCache('b'), agents.hasCache('c')]).toEqual([true, false]);
    // What was measured in swap mode does not decide.
    expect(agents.decide('b')).toBeUndefined();
  });

  test('remembers the tools that `tool_choice` names, unless they are many', () => {
    const { agents } = agentsAt();
    agents.meet({ ...FIRST, chosen: ['submit'] });
    agents.meet({ ...FIRST, chosen: ['submit', 'give_up'] });
    agents.meet({ ...FIRST, chosen: Array.from({ length: 7 }, (_, at) => `tool_${at}`) });
    agents.meet(FIRST);
    expect(agents.chosenBy('a')).toEqual(['submit', 'give_up']);
    expect(agents.chosenBy('b')).toEqual([]);
  });

  test('of a model without a price passes where deferring is dearer, once a response shows a cache', () => {
    const { agents, learn } = agentsAt();
    learn(UNREAD);
    agents.meet(FIRST);
    learn(READ);
    agents.measure('a', measured(SIZES, UNPRICED));
    expect(agents.decide('a')).toMatchObject({ defers: false });
  });

  test('is news once if its cache changes the terms, and not if other processes have said so', () => {
    const { agents, learn } = agentsAt();
    const tell = (terms: AgentTerms) => {
      agents.measure('a', measured(SIZES, terms));
      return agents.isCacheNews('a');
    };
    agents.meet(FIRST);
    expect(tell(UNPRICED)).toBe(false);
    learn(READ);
    expect([tell(TERMS), tell(UNPRICED), tell(UNPRICED)]).toEqual([false, true, false]);
    const other = agentsAt().agents;
    other.adoptCache('a');
    other.measure('a', measured(SIZES, UNPRICED));
    expect([other.hasCache('a'), other.isCacheNews('a')]).toEqual([true, false]);
    expect(other.decide('a')).toMatchObject({ defers: false });
  });

  describe('whose conversations have ended', () => {
    /** Returns the bills after 20 conversations of so many requests, the first of which had such rounds. */
    const billsAfter = (
      requests: number,
      rounds: readonly (readonly [inputTokens: number, outputTokens: number])[],
      planReason: FinishedExchange['planReason'] = 'deferred',
    ) => {
      const { agents } = agentsAt();
      agents.measure('a', measured({ ...SIZES, loadsAtEnd: true }, TERMS));
      const usageByRound = rounds.map(([inputTokens, outputTokens], at) => ({
        ...{ round: at + 1, inputTokens, outputTokens },
      }));
      const first = { planReason, searches: [], usageByRound, usage: usageByRound.at(-1) };
      for (let conversation = 0; conversation < 20; conversation++) {
        const session = String(conversation % 2);
        const agent = agents.meet({ ...FIRST, newTokens: 100 });
        agents.learn({ ...first, agent, session });
        for (let request = 1; request < requests; request++) {
          agents.learn({ agent: { id: 'a' }, planReason, searches: [], session, usage: READ });
        }
      }
      return agents.decide('a')!.bills;
    };
    const ANSWER = [15_600, 10] as const;

    test('is judged by their lengths', () => {
      const [short, long] = [billsAfter(2, [ANSWER]), billsAfter(8, [ANSWER])];
      expect(long.direct / short.direct).toBeGreaterThan(1.8);
      const passed = [billsAfter(2, [ANSWER], 'few_savings'), billsAfter(8, [ANSWER], 'few_savings')];
      expect(passed[1]!.direct / long.direct).toBeCloseTo(1, 3);
      expect(passed[0]!.direct / short.direct).toBeCloseTo(1, 3);
    });

    test('is judged by their searches, and by what these cost', () => {
      const none = billsAfter(4, [ANSWER]).deferred;
      const one = billsAfter(4, [
        [15_600, 10],
        [16_000, 10],
      ]).deferred;
      const costly = billsAfter(4, [
        [15_600, 10],
        [20_000, 10],
      ]).deferred;
      const wordy = billsAfter(4, [
        [15_600, 900],
        [16_000, 10],
      ]).deferred;
      const two = billsAfter(4, [
        [15_600, 10],
        [16_000, 10],
        [16_400, 10],
      ]).deferred;
      expect(one).toBeGreaterThan(1.05 * none);
      expect(Math.min(two, costly, wordy) / one).toBeGreaterThan(1.02);
    });

    test('has assumed searches where its tools were not deferred', () => {
      const passed = billsAfter(4, [ANSWER], 'few_savings').deferred;
      expect(passed).toBeGreaterThan(1.1 * billsAfter(4, [ANSWER]).deferred);
    });
  });

  test('knows nothing of conversations whose beginning it has not seen', () => {
    const decisionAfter = (requests: number) => {
      const { agents, clock } = agentsAt();
      agents.meet(FIRST);
      for (let request = 0; request < requests; request++) {
        agents.learn({
          agent: { id: 'a' },
          planReason: 'deferred',
          searches: [],
          session: 's',
          usage: undefined,
        });
      }
      agents.measure('a', measured(SIZES, TERMS));
      clock.now += 1;
      return agents.decide('a');
    };
    expect(decisionAfter(50)).toEqual(decisionAfter(0));
  });

  test('shares its heads as often as the provider has read them', () => {
    const billAfter = (cachedInputTokens: number) => {
      const { agents } = agentsAt();
      agents.meet(FIRST);
      agents.measure('a', measured(SIZES, TERMS));
      for (let count = 0; count < 100; count++) {
        agents.learn({
          agent: { id: 'a', isFirst: true, idleMs: 1_000 },
          planReason: 'deferred',
          searches: [],
          usage: { inputTokens: 9_000, outputTokens: 1, cachedInputTokens },
        });
      }
      return agents.decide('a')!.bills.deferred;
    };
    expect(billAfter(8_000)).toBeLessThan(0.85 * billAfter(0));
  });

  test('shares a short head, too, where preloaded tools are most of the prompt', () => {
    const billWith = (cachedInputTokens: number) => {
      const { agents } = agentsAt();
      agents.meet(FIRST);
      agents.measure('a', measured({ ...SIZES, directHead: 9_000, deferredHead: 2_000 }, TERMS));
      for (let count = 0; count < 100; count++) {
        agents.learn({
          agent: { id: 'a', isFirst: true, idleMs: 1_000 },
          planReason: 'deferred',
          searches: [],
          usage: { inputTokens: 5_000, outputTokens: 1, cachedInputTokens },
        });
      }
      return agents.decide('a')!.bills.deferred;
    };
    expect(billWith(1_900)).toBeLessThan(billWith(900));
  });

  test('that marks nothing for a cache is priced without one', () => {
    const { agents } = agentsAt();
    agents.measure('a', measured({ ...SIZES, directHead: 30_000 }, { ...TERMS, isMarked: false }));
    expect(agents.decide('a')).toMatchObject({ defers: true });
  });

  test('whose prompts are never read from a cache is priced without one in the end', () => {
    const { agents, learn } = agentsAt();
    agents.meet(FIRST);
    agents.measure('a', measured({ ...SIZES, directHead: 25_000 }, { ...TERMS, isMarked: undefined }));
    for (let count = 0; count < 10; count++) learn(UNREAD);
    expect(agents.decide('a')).toMatchObject({ defers: true });
  });

  /** Returns whether each of 40 conversations defers that begin ten minutes after the one before it. */
  const decisionsAfterPauses = (cachedInputTokens: number) => {
    const { agents, clock } = agentsAt();
    agents.measure('a', measured({ ...SIZES, directHead: 60_000 }, TERMS));
    return Array.from({ length: 40 }, () => {
      clock.now += 10 * MINUTE;
      const agent = agents.meet(FIRST);
      const { defers } = agents.decide('a')!;
      const usage = { inputTokens: 61_000, outputTokens: 1, cachedInputTokens };
      agents.learn({ agent, planReason: defers ? 'deferred' : 'few_savings', searches: [], usage });
      return defers;
    });
  };

  test('defers once its conversations turn out to begin cold, and not before 20 of them', () => {
    const decisions = decisionsAfterPauses(0);
    expect(decisions.indexOf(true)).toBeGreaterThanOrEqual(19);
    expect(decisions.at(-1)).toBe(true);
  });

  test('begins warm after a pause if its head was cached all the same', () => {
    expect(decisionsAfterPauses(60_000)).not.toContain(true);
  });

  test('is judged by how often its users return late, when the cache has only the head', () => {
    const decisionAfter = (cachedInputTokens: number, inputTokens = 9_000) => {
      const { agents } = agentsAt();
      agents.measure('a', {
        ...measured({ ...SIZES, deferredHead: 5_000, found: 700, loadsAtEnd: true }, TERMS),
        sharesHeads: true,
      });
      for (let count = 0; count < 20; count++) {
        const agent = agents.meet(FIRST);
        const more = { planReason: 'deferred' as const, searches: [], newBytes: 400, session: String(count) };
        agents.learn({
          ...more,
          agent,
          usage: { inputTokens: 5_500, outputTokens: 1, cachedInputTokens: 5_000 },
        });
        const usage = { inputTokens, outputTokens: 1, cachedInputTokens };
        for (let turn = 0; turn < 5; turn++) agents.learn({ ...more, agent: { id: 'a' }, usage });
      }
      return agents.decide('a')!.bills;
    };
    const [late, soon] = [decisionAfter(5_000), decisionAfter(8_900)];
    expect(late.direct).toBeGreaterThan(1.1 * soon.direct);
    // A prompt that is hardly longer than its head says nothing.
    expect(decisionAfter(4_900, 5_200).direct).toBeCloseTo(soon.direct, 3);
  });

  test('takes over what another process has decided, and looks every ten minutes', () => {
    const { agents, clock } = agentsAt();
    expect([agents.isDueToCompare('a'), agents.isDueToCompare('a')]).toEqual([true, false]);
    clock.now = 10 * MINUTE;
    expect(agents.isDueToCompare('a')).toBe(true);
    agents.adopt('a', { defers: true, bills: { direct: 10, deferred: 5 } });
    expect(agents.decisionOf('a')?.defers).toBe(true);
  });

  test('has its bills in tokens of uncached input', () => {
    const { agents } = agentsAt();
    agents.measure('a', measured(SIZES, { ...TERMS, isMarked: false }));
    const { bills } = agents.decide('a')!;
    expect(agents.billsOf('a')).toEqual({
      direct: Math.round(bills.direct / 5),
      deferred: Math.round(bills.deferred / 5),
    });
    expect(agents.billsOf('b')).toBeUndefined();
  });

  test('is forgotten after a thousand others', () => {
    const { agents } = agentsAt();
    agents.meet(FIRST);
    for (let other = 0; other < 1_000; other++) agents.meet({ ...FIRST, id: `other-${other}` });
    expect(agents.meet(FIRST)).toEqual({ id: 'a', isFirst: true });
  });
});
