import { PRICES, type PromptSizes, termsOf } from '@winnow/prices';
import { describe, expect, test } from 'vitest';
import { Agents, type AgentTerms, type FinishedExchange } from '../src/strategies/agents.ts';

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
  isVendors: true,
  isMarked: true,
};
const measured = (sizes: PromptSizes, terms: AgentTerms) => ({ sizes, terms, sharesHeads: false });
const FIRST = { id: 'a', isFirst: true, isDeferring: true, newTokens: 100 };

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

  test('is left to fixed thresholds where the model has no price', () => {
    const { agents } = agentsAt();
    agents.measure('a', measured(SIZES, { ...TERMS, model: undefined }));
    expect(agents.decide('a')).toBeUndefined();
  });

  test('of an unknown server is left to fixed thresholds for 20 conversations, and until a response shows a cache', () => {
    const { agents, learn } = agentsAt();
    agents.meet(FIRST);
    agents.measure('a', measured(SIZES, { ...TERMS, isVendors: false }));
    learn(UNREAD);
    expect(agents.decide('a')).toBeUndefined();
    learn(READ);
    expect(agents.decide('a')).toBeUndefined();
    for (let count = 1; count < 20; count++) agents.meet(FIRST);
    expect(agents.decide('a')).toMatchObject({ defers: false, changedAt: 1_000_000 });
  });

  test('shares its heads as often as the provider has read them', () => {
    const { agents } = agentsAt();
    const learn = (cachedInputTokens: number) =>
      agents.learn({
        agent: { id: 'a', isFirst: true, idleMs: 1_000 },
        planReason: 'deferred',
        searches: [],
        usage: { inputTokens: 9_000, outputTokens: 1, cachedInputTokens },
      });
    const billAfter = (cached: number) => {
      for (let count = 0; count < 100; count++) learn(cached);
      for (let count = 0; count < 20; count++) agents.meet(FIRST);
      return agents.decide('a')!.bills.deferred;
    };
    agents.meet(FIRST);
    agents.measure('a', measured(SIZES, TERMS));
    expect(billAfter(8_000)).toBeLessThan(0.8 * billAfter(0));
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
    agents.measure('a', measured(SIZES, { ...TERMS, isMarked: undefined }));
    for (let count = 0; count < 10; count++) learn(UNREAD);
    expect(agents.decide('a')).toMatchObject({ defers: true });
  });

  test('defers once its conversations turn out to begin cold, and not before 20 of them', () => {
    const { agents, clock } = agentsAt();
    const large = { ...SIZES, directHead: 60_000 };
    agents.measure('a', measured(large, TERMS));
    const decisions = Array.from({ length: 40 }, () => {
      clock.now += 10 * MINUTE;
      agents.meet(FIRST);
      return agents.decide('a')!.defers;
    });
    expect(decisions.indexOf(true)).toBeGreaterThanOrEqual(19);
    expect(decisions.at(-1)).toBe(true);
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

  test('is forgotten when a thousand others have come', () => {
    const { agents } = agentsAt();
    agents.meet(FIRST);
    for (let other = 0; other < 1_000; other++) agents.meet({ ...FIRST, id: `other-${other}` });
    expect(agents.meet(FIRST)).toEqual({ id: 'a', isFirst: true });
  });
});
