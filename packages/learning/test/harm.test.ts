import type { StoredRecord } from '@winnow/core';
import { describe, expect, inject, test } from 'vitest';
import { shareBound } from '../src/harm/bounds.ts';
import { HarmTally } from '../src/harm/harm-tally.ts';
import { judgeHarm, type RolledOutConversation } from '../src/harm/judge-harm.ts';
import { makeRecord } from './make-record.ts';
import { randomFrom } from './random-from.ts';

interface Experiment {
  readonly seed: number;
  readonly conversations: number;
  /** Share of conversations that are affected in any case. */
  readonly base: number;
  /** Share of the others that deferring affects, by hiding `planted`. */
  readonly harm?: number;
  /** Share of conversations with deferred tools. */
  readonly probability?: number;
}

function experiment({ seed, conversations, base, harm = 0, probability = 0.5 }: Experiment) {
  const random = randomFrom(seed);
  return Array.from({ length: conversations }, (): RolledOutConversation => {
    const isInside = random() < probability;
    const isBase = random() < base;
    const isHarmed = !isBase && isInside && random() < harm;
    const tools = isBase ? [`tool_${Math.floor(random() * 50)}`] : isHarmed ? ['planted'] : [];
    return { isInside, probability, isAffected: isBase || isHarmed, tools };
  });
}

const RUNS = Array.from({ length: inject('isExhaustive') ? 100 : 40 }, (_, seed) => seed);
const MOST = 0.95 * RUNS.length;
const FEW = 0.05 * RUNS.length;

describe('harm', () => {
  test('of 5 % over a base of 1 % is found within 1,000 conversations, and its tool named within 1,500', () => {
    const judged = RUNS.map((seed) =>
      judgeHarm(experiment({ seed, conversations: 1_500, base: 0.01, harm: 0.05 })),
    );
    const found = judged.filter(({ sureAfter = Number.POSITIVE_INFINITY }) => sureAfter <= 1_000);
    expect(found.length).toBeGreaterThanOrEqual(MOST);
    expect(judged.filter(({ tools }) => tools.includes('planted')).length).toBeGreaterThanOrEqual(MOST);
  });

  test.each([0, 0.01, 0.05])('that is not there raises few alarms at a base of %s', (base) => {
    const alarms = RUNS.map((seed) => judgeHarm(experiment({ seed, conversations: 10_000, base }))).filter(
      ({ isHarmed, tools }) => isHarmed || tools.length > 0,
    );
    expect(alarms.length).toBeLessThanOrEqual(FEW);
  });

  test('is found at other percentages, too, and not where fewer are affected', () => {
    const unequal = { seed: 1, conversations: 8_000, probability: 0.1 };
    expect(judgeHarm(experiment({ ...unequal, base: 0.01, harm: 0.05 }))).toMatchObject({
      isHarmed: true,
      tools: ['planted'],
    });
    const better = experiment({ ...unequal, base: 0.05 }).filter(
      ({ isInside, isAffected }, at) => !(isInside && isAffected) || at % 2 === 0,
    );
    expect(judgeHarm(better).isHarmed).toBe(false);
  });

  test('is bounded, and the bound covers it', () => {
    const covered = RUNS.filter(
      (seed) =>
        judgeHarm(experiment({ seed, conversations: 2_000, base: 0.01, harm: 0.03 })).bound >= 0.03 * 0.99,
    );
    expect(covered.length).toBeGreaterThanOrEqual(MOST);
    const { bound } = judgeHarm(experiment({ seed: 1, conversations: 2_000, base: 0 }));
    expect(bound).toBeLessThan(0.012);
    expect(judgeHarm([]).bound).toBe(1);
  });
});

test('the bound of a share holds, and tightens', () => {
  expect(shareBound(0, 0)).toBe(1);
  expect(shareBound(5, 5)).toBe(1);
  expect(shareBound(0, 100)).toBeGreaterThan(0.03);
  expect(shareBound(0, 100)).toBeLessThan(0.07);
  expect(shareBound(0, 10_000)).toBeLessThan(0.001);
  const bounds = [10, 100, 1_000].map((whole) => shareBound(whole / 10, whole));
  expect(bounds.toSorted().toReversed()).toEqual(bounds);
  expect(bounds[2]).toBeGreaterThan(0.1);
});

describe('the section', () => {
  const record = (changes: Partial<StoredRecord>) => makeRecord({ percent: 50, ...changes });
  const inside = { armReason: 'inside_percent', arm: 'full' } as const;
  const outside = { armReason: 'outside_percent', arm: 'shadow' } as const;

  test('counts conversations by arm, however often they are affected', () => {
    const tally = new HarmTally();
    for (const time of ['2026-11-20T08:00:00.000Z', '2026-11-20T08:01:00.000Z']) {
      tally.add(record({ ...inside, session: 'a', time, repeats: true, called: ['read_log'] }));
      tally.add(record({ ...inside, session: 'b', time, called: ['send'], unseen: ['send'] }));
      tally.add(record({ ...inside, session: 'c', time, called: ['send'] }));
      tally.add(record({ ...outside, session: 'd', time }));
    }
    expect(tally.result().agents).toMatchObject([
      { inside: { conversations: 3, affected: 2 }, outside: { conversations: 1, affected: 0 } },
    ]);
  });

  test('tells searches that were given up and extra rounds, which only deferring can cause', () => {
    const tally = new HarmTally();
    const search = (outcome: string) => ({ queryChars: 1, queryHash: 'a', outcome, names: [], ms: 1 });
    tally.add(record({ ...inside, session: 'a', searches: [search('no_match')], upstreamCalls: 2 }));
    tally.add(
      record({ ...inside, session: 'b', searches: [search('weak')], called: ['send'], upstreamCalls: 4 }),
    );
    tally.add(record({ ...inside, session: 'c', searches: [search('api_error')], upstreamCalls: 2 }));
    tally.add(record({ ...outside, session: 'd' }));
    expect(tally.result().agents).toMatchObject([
      { givenUp: 1, extraRounds: 5 / 3, inside: { affected: 0 } },
    ]);
  });

  test('leaves out conversations that were drawn twice, and those that no chance has drawn', () => {
    const tally = new HarmTally();
    tally.add(record({ ...outside, session: 'a', percent: 5 }));
    tally.add(record({ ...inside, session: 'a', percent: 25 }));
    tally.add(record({ ...inside, session: 'b', percent: undefined }));
    tally.add(record({ ...inside, session: undefined }));
    tally.add(record({ ...inside, session: 'c', agent: { id: 'x', passes: true } }));
    expect(tally.result().agents).toEqual([]);
  });

  test('bounds in shadow how many conversations would have missed a tool', () => {
    const tally = new HarmTally();
    for (let session = 0; session < 200; session++) {
      const wouldHaveMissed = session < 4 ? ['send'] : [];
      tally.add(
        record({
          arm: 'shadow',
          armReason: 'rollout_shadow',
          session: String(session),
          observation: { status: 'done', called: ['send'], wouldHaveMissed },
        }),
      );
    }
    const { shadow } = tally.result();
    expect(shadow).toMatchObject({ part: 4, whole: 200 });
    expect(shadow.bound).toBeGreaterThan(0.02);
    expect(shadow.bound).toBeLessThan(0.08);
  });
});
