import { describe, expect, it } from 'vitest';
import { Agents } from '../src/strategies/agents.ts';

const FIRST = { id: 'a', isFirst: true, isDeferring: true };
const LATER = { ...FIRST, isFirst: false };

function agentsWithClock() {
  const clock = { now: 0 };
  return { clock, agents: new Agents({ now: () => clock.now }) };
}

/** Plays conversations of this many requests, with searches in each. */
function play(
  agents: Agents,
  {
    conversations,
    requests,
    searches,
    defers = true,
  }: Record<'conversations' | 'requests' | 'searches', number> & {
    defers?: boolean;
  },
): void {
  const usage = (cachedInputTokens: number) => ({ inputTokens: 10_000, outputTokens: 1, cachedInputTokens });
  for (let count = 0; count < conversations; count++) {
    for (let at = 0; at < requests; at++) {
      const agent = agents.meet(at === 0 ? FIRST : LATER);
      if (at === 0) agents.begin('a', defers);
      const rounds = at < searches && defers ? 2 : 1;
      agents.learn({
        agent,
        planReason: defers ? 'deferred' : 'few_savings',
        searches: [],
        usage: Array.from({ length: rounds }, () => usage(10_000)),
      });
    }
  }
}

describe('the means of an agent', () => {
  it('begin with a prior', () => {
    expect(agentsWithClock().agents.meansOf('a')).toEqual({
      requests: 8,
      searches: 1,
      found: 4,
      cachedHead: 1,
      cachedHistory: 1,
      isDeferring: undefined,
    });
  });

  it('follow its conversations, the last 20 most', () => {
    const { agents } = agentsWithClock();
    play(agents, { conversations: 3, requests: 12, searches: 0 });
    expect(agents.meansOf('a').requests).toBeCloseTo(10.6, 1);
    expect(agents.meansOf('a').searches).toBeCloseTo(0.26, 2);
    play(agents, { conversations: 60, requests: 4, searches: 3 });
    expect(agents.meansOf('a').requests).toBeCloseTo(4.2, 0);
    expect(agents.meansOf('a').searches).toBeCloseTo(2.88, 1);
  });

  it('count the tools that a search finds', () => {
    const { agents } = agentsWithClock();
    const agent = agents.meet(FIRST);
    agents.begin('a', true);
    const search = { ms: 1, names: Array.from({ length: 8 }, (_, at) => `tool_${at}`) };
    const searches = [
      { ...search, outcome: 'found' as const },
      { ...search, outcome: 'weak' as const },
    ];
    agents.learn({ agent, planReason: 'deferred', searches });
    expect(agents.meansOf('a')).toMatchObject({ searches: 1.5, found: 4 });
  });

  it('return to the prior of searches while the agent passes, within some hundred conversations', () => {
    const { agents } = agentsWithClock();
    play(agents, { conversations: 10, requests: 8, searches: 8 });
    const before = agents.meansOf('a').searches;
    play(agents, { conversations: 10, requests: 8, searches: 0, defers: false });
    expect(agents.meansOf('a').searches).toBeGreaterThan(0.9 * before);
    play(agents, { conversations: 300, requests: 8, searches: 0, defers: false });
    expect(agents.meansOf('a').searches).toBeLessThan(3);
    expect(agents.meansOf('a')).toMatchObject({ cachedHead: 1, cachedHistory: 1, isDeferring: false });
  });
});

describe('the cache of an agent', () => {
  const answer = (agents: Agents, cachedInputTokens: number | undefined, more: object = {}) => {
    const round = {
      inputTokens: 9_000,
      outputTokens: 1,
      ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    };
    agents.learn({
      agent: agents.meet(LATER),
      planReason: 'few_savings',
      searches: [],
      usage: [round],
      ...more,
    });
  };

  it('is believed to be missing after two later requests without a cached token', () => {
    const { agents } = agentsWithClock();
    agents.meet(FIRST);
    answer(agents, 0);
    expect(agents.cachesNothing('a')).toBe(false);
    answer(agents, 0);
    expect(agents.cachesNothing('a')).toBe(true);
    expect(agents.meansOf('a').cachedHead).toBeUndefined();
    answer(agents, 9_000);
    expect(agents.cachesNothing('a')).toBe(false);
    expect(agents.meansOf('a').cachedHead).toBeCloseTo(9 / 11, 5);
  });

  it('is known apart for the head of prompts and for the history behind it', () => {
    const { agents } = agentsWithClock();
    agents.meet(FIRST);
    agents.measure('a', [2_000, 6_000]);
    answer(agents, 7_500);
    expect(agents.meansOf('a')).toMatchObject({ cachedHead: 1, cachedHistory: 8.5 / 9 });
    answer(agents, 0);
    expect(agents.meansOf('a')).toMatchObject({ cachedHead: 9 / 10, cachedHistory: 8.5 / 9 });
    // The same tokens, where the head is shorter.
    answer(agents, 2_000, { planReason: 'deferred' });
    expect(agents.meansOf('a')).toMatchObject({ cachedHead: 10 / 11, cachedHistory: 8.5 / 10 });
  });

  it('is not judged by what follows the head of a first request: no cache can hold a new message', () => {
    const { agents } = agentsWithClock();
    agents.meet(FIRST);
    agents.measure('a', [2_000, 6_000]);
    answer(agents, 6_000, { agent: agents.meet(FIRST) });
    expect(agents.meansOf('a')).toMatchObject({ cachedHead: 1, cachedHistory: 1 });
  });

  it('is expected where responses say nothing of it, and where prompts are too short for one', () => {
    const { agents } = agentsWithClock();
    for (let count = 0; count < 5; count++) {
      answer(agents, undefined);
      answer(agents, 0, { newBytes: 4 * 8_000 });
    }
    expect(agents.meansOf('a')).toMatchObject({ cachedHead: 1, cachedHistory: 1 });
  });
});

describe('a request', () => {
  it('says how long its agent was idle in the arm, and whether it begins a conversation', () => {
    const { agents, clock } = agentsWithClock();
    expect(agents.meet(FIRST)).toEqual({ id: 'a', isFirst: true });
    clock.now = 5;
    expect(agents.meet({ ...LATER, isDeferring: false })).toEqual({ id: 'a' });
    clock.now = 10.4;
    expect(agents.meet(LATER)).toEqual({ id: 'a', idleMs: 10 });
  });

  it('adds the tools that it chooses, as long as they are few', () => {
    const { agents } = agentsWithClock();
    agents.meet({ ...FIRST, chosen: ['submit'] });
    agents.meet({ ...FIRST, chosen: ['submit', 'give_up'] });
    agents.meet({ ...FIRST, chosen: Array.from({ length: 7 }, (_, at) => `tool_${at}`) });
    expect(agents.chosenBy('a')).toEqual(['submit', 'give_up']);
    expect(agents.chosenBy('b')).toEqual([]);
  });

  it('is of a forgotten agent after a thousand others', () => {
    const { agents } = agentsWithClock();
    agents.meet(FIRST);
    for (let other = 0; other < 1_000; other++) agents.meet({ ...FIRST, id: `other-${other}` });
    expect(agents.meet(FIRST)).toEqual({ id: 'a', isFirst: true });
  });
});
