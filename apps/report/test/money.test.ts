import { PassThrough } from 'node:stream';
import { PRICES, type PriceTable, type StoredRecord } from '@winnow/core';
import { describe, expect, inject, test } from 'vitest';
import { type Cluster, meanDifferenceInterval, stratifiedMean } from '../src/counting/means.ts';
import { MoneyTally } from '../src/sections/money.ts';
import { moneyHeadline } from '../src/tables/money-part.ts';
import { renderText } from '../src/terminal/render-text.ts';
import { formatMoney, formatSigned } from '../src/text/format.ts';
import { makeRecords, randomFrom } from './make-records.ts';
import { reportOn } from './report-on.ts';

const NO_TERMINAL = new PassThrough() as unknown as NodeJS.WriteStream;
const [PATTERN] = makeRecords({ seed: 1, exchanges: 1, reasons: ['inside_percent'] });

/** One priced exchange: input at 5 dollars a million, nothing cached. */
function exchange(changes: Partial<StoredRecord>, inputTokens: number): StoredRecord {
  return {
    ...PATTERN!,
    model: 'claude-opus-5',
    upstreamCalls: 1,
    searches: [],
    outcome: 'answered',
    status: 200,
    usage: [{ inputTokens, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 }],
    ...changes,
  };
}

interface Experiment {
  readonly seed: number;
  /** In each arm. */
  readonly sessions: number;
  /** Input tokens of a mean exchange, by arm. */
  readonly full: number;
  readonly shadow: number;
}

/** Sessions of 1 to 20 exchanges, whose prompts resemble each other within a session and grow with it. */
function experiment({ seed, sessions, ...means }: Experiment): StoredRecord[] {
  const random = randomFrom(seed);
  return (['full', 'shadow'] as const).flatMap((arm) =>
    Array.from({ length: sessions }, (_, session) => {
      const size = 0.2 + 1.6 * random();
      const armReason = arm === 'full' ? 'inside_percent' : 'outside_percent';
      return Array.from({ length: 1 + Math.floor(20 * random()) }, () =>
        exchange(
          { arm, armReason, session: `${arm}-${session}` },
          Math.round(means[arm] * size * (0.9 + 0.2 * random())),
        ),
      );
    }).flat(),
  );
}

describe('the mean over clusters', () => {
  const meanOf = (clusters: readonly Cluster[]) =>
    stratifiedMean(
      clusters.map((cluster) => [cluster]),
      [1],
    );

  test('is the ratio of the sums, with its linearised variance', () => {
    const clusters = [
      { sum: 10, items: 2 },
      { sum: 3, items: 1 },
      { sum: 0, items: 0 },
      { sum: 11, items: 1 },
    ];
    // Mean 24 / 4 = 6; residuals -2, -3, 5; variance 3 / 2 * (4 + 9 + 25) / 16.
    expect(meanOf(clusters)).toEqual({ clusters: 3, items: 4, mean: 6, variance: 3.5625 });
    expect(meanOf([])).toBeUndefined();
  });

  test('has an interval for the difference of two that holds the truth about 95 times in 100', () => {
    const experiments = inject('isExhaustive') ? 300 : 40;
    let held = 0;
    for (let seed = 1; seed <= experiments; seed++) {
      const tally = new MoneyTally(PRICES);
      for (const record of experiment({ seed, sessions: 60, full: 4_000, shadow: 4_000 })) tally.add(record);
      const { measured } = tally.result();
      if (measured!.interval!.low <= 0 && measured!.interval!.high >= 0) held++;
    }
    expect(held / experiments).toBeGreaterThan(0.91);
    expect(held / experiments).toBeLessThan(0.99);
  });

  test('has none for few clusters', () => {
    const few = meanOf(Array.from({ length: 29 }, () => ({ sum: 1, items: 1 })))!;
    const many = meanOf(Array.from({ length: 300 }, () => ({ sum: 1, items: 1 })))!;
    expect(meanDifferenceInterval(few, many)).toBeUndefined();
    expect(meanDifferenceInterval(many, many)).toEqual({ low: 0, high: 0 });
  });
});

describe('the arms of partial', () => {
  const records = experiment({ seed: 7, sessions: 200, full: 2_000, shadow: 6_000 });
  const report = reportOn(records);

  test('are compared in money, with an interval', () => {
    const { full, shadow, difference, interval, isFair } = report.money.measured!;
    const meanOf = (arm: string) => {
      const costs = records
        .filter((record) => record.arm === arm)
        .map(({ usage }) => (usage![0]!.inputTokens * 5) / 1e6);
      return costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
    };
    expect(full.mean).toBeCloseTo(meanOf('full'), 12);
    expect(shadow.mean).toBeCloseTo(meanOf('shadow'), 12);
    expect([full.sessions, shadow.sessions, isFair]).toEqual([200, 200, true]);
    expect(difference).toBeCloseTo(full.mean - shadow.mean, 12);
    expect(interval!.low).toBeLessThan(difference);
    expect(interval!.high).toBeGreaterThan(difference);
    expect(interval!.high).toBeLessThan(0);
  });

  test('are the headline of the terminal', () => {
    const headline = moneyHeadline(report.money)!;
    expect(headline).toMatch(
      /^Measured: deferring makes an exchange \$0\.0\d+ cheaper \(6\d\.\d%\): \$0\.0\d+ with deferring, \$0\.0\d+ without; 95%: −\$0\.0\d+ to −\$0\.0\d+\.$/,
    );
    const text = renderText(report, { width: 400, stream: NO_TERMINAL });
    expect(text.split('\n').slice(2, 4)).toEqual([expect.stringMatching(/^Context: tools took /), headline]);
  });

  test('are said to differ in nothing sure when the interval holds 0', () => {
    const { money } = reportOn(experiment({ seed: 3, sessions: 40, full: 4_000, shadow: 4_000 }));
    expect(moneyHeadline(money)).toMatch(/^Measured: no significant difference in the cost of an exchange/);
  });

  test('are not compared with few conversations, nor where one arm is priced much more often', () => {
    const few = reportOn(experiment({ seed: 3, sessions: 29, full: 1, shadow: 9_000 })).money;
    expect(few.measured!.interval).toBeUndefined();
    expect(moneyHeadline(few)).toMatch(/^Too few conversations/);
    const unfair = records.map((record, index) => {
      const { usage: _usage, ...silent } = record;
      return record.arm === 'shadow' && index % 3 === 0 ? silent : record;
    });
    const { money } = reportOn(unfair);
    expect(money.measured!.isFair).toBe(false);
    expect(moneyHeadline(money)).toMatch(/^The arms cannot be compared in money: 100% .* 6\d\.\d% /);
  });

  test('hold only sessions that chance has put there', () => {
    const others = records.map((record): StoredRecord => {
      const { session: _session, ...nameless } = record;
      return {
        ...nameless,
        arm: 'shadow',
        armReason: 'no_session',
        usage: [{ ...record.usage![0]!, inputTokens: 1 }],
      };
    });
    expect(reportOn([...records, ...others]).money.measured).toEqual(report.money.measured);
    expect(reportOn(others).money.measured).toBeUndefined();
    expect(moneyHeadline(reportOn(others).money)).toBeUndefined();
  });
});

describe('the warmth of the cache', () => {
  /** Warm exchanges cost 1,000 tokens, cold ones 9,000, with and without deferring. */
  const arm = (name: 'full' | 'shadow', warmOfTen: number) =>
    Array.from({ length: 400 }, (_, number) => {
      const isWarm = number % 10 < warmOfTen;
      const armReason = name === 'full' ? 'inside_percent' : 'outside_percent';
      const agent = { id: 'a', ...(isWarm && { idleMs: 1_000 }) };
      const changes = { arm: name, armReason, session: `${name}-${number % 80}`, agent };
      return exchange(changes, isWarm ? 1_000 : 9_000);
    });

  test('is the same for both arms in the comparison, though the smaller one meets it less often', () => {
    const { money } = reportOn([...arm('full', 2), ...arm('shadow', 8)]);
    expect(money.measured).toMatchObject({ difference: expect.closeTo(0, 12), isEquallyWarm: true });
    expect(moneyHeadline(money)).toContain('without at equal warmth of the cache');
  });

  test('is not known of older records, which are compared as they are', () => {
    const older = [...arm('full', 2), ...arm('shadow', 8)].map(({ agent: _, ...record }) => record);
    const { measured } = reportOn(older).money;
    expect(measured!.isEquallyWarm).toBe(false);
    expect(measured!.difference).toBeCloseTo(((7_400 - 2_600) * 5) / 1e6, 12);
  });

  test('leaves agents out that deferring leaves alone', () => {
    const records = [...arm('full', 5), ...arm('shadow', 5)];
    const passing = records.map((record) => ({
      ...record,
      usage: undefined,
      planReason: 'few_savings',
    }));
    const { measured } = reportOn([...records, ...passing]).money;
    expect(measured).toMatchObject({ isFair: true, full: { exchanges: 400 } });
  });
});

describe('the verdict on money', () => {
  const finding = (records: readonly StoredRecord[], prices?: PriceTable) =>
    reportOn(records, prices).verdict.findings.find(({ subject }) => subject.includes('Cost of an exchange'));

  test('is against the step to full when a loss was measured', () => {
    const loss = experiment({ seed: 7, sessions: 200, full: 6_000, shadow: 4_000 });
    expect(finding(loss)).toMatchObject({ state: 'against', value: expect.stringMatching(/^\+\d/) });
    expect(reportOn(loss).verdict.state).toBe('against');
  });

  test('is clear when deferring was measured to be cheaper', () => {
    expect(finding(experiment({ seed: 7, sessions: 200, full: 2_000, shadow: 6_000 }))).toMatchObject({
      state: 'clear',
      value: expect.stringMatching(/^−6\d/),
    });
  });

  test('is open while nothing is sure, and absent where no model has a price', () => {
    const few = experiment({ seed: 3, sessions: 10, full: 4_000, shadow: 4_000 });
    expect(finding(few)?.state).toBe('unclear');
    expect(finding(few.filter(({ arm }) => arm === 'full'))?.state).toBe('unclear');
    expect(finding(few, { currency: 'EUR', models: {} })).toBeUndefined();
  });
});

describe('the estimate', () => {
  const deferred = {
    arm: 'full',
    armReason: 'rollout_full',
    planReason: 'deferred',
    loadMode: 'swap',
    tools: { total: 100, deferred: 95, loaded: 0 },
    hiddenTurnsKnown: 0,
    promptBytes: 20_000,
    toolBytes: {
      before: 82_000,
      after: 2_000,
      first: 2_000,
    },
  } as const;

  test('sums what exchanges that deferred and ended well have saved', () => {
    const { money } = reportOn([
      exchange(deferred, 5_000),
      exchange(deferred, 5_000),
      exchange({ ...deferred, status: 500 }, 5_000),
      exchange({ ...deferred, arm: 'shadow', armReason: 'rollout_shadow' }, 5_000),
    ]);
    expect(money.estimated).toMatchObject({
      exchanges: 2,
      high: { saved: expect.closeTo(0.2, 12) },
      leftOut: {},
    });
  });

  test('says what it leaves out: models without a price, records of earlier versions', () => {
    const { promptBytes: _size, ...old } = exchange(deferred, 5_000);
    const report = reportOn([
      exchange({ ...deferred, model: 'llama' }, 5_000),
      old,
      exchange(deferred, 5_000),
    ]);
    expect(report.money.estimated).toMatchObject({
      exchanges: 1,
      leftOut: { unknown_model: 1, size_unknown: 1 },
    });
    expect(report.money.unknownModels.top.map(({ name }) => name)).toEqual(['llama']);
    const text = renderText(report, { width: 400, stream: NO_TERMINAL });
    expect(text).toContain('Estimate: a saving of $0.10 in 1 exchange.');
    expect(text).toContain('the price of the model is unknown');
    expect(text).toMatch(/Models without a price[\s\S]*llama/);
  });

  test('is said to be missing where no exchange has deferred tools', () => {
    const report = reportOn([exchange({ arm: 'shadow', armReason: 'rollout_shadow' }, 9)]);
    const text = renderText(report, { width: 400, stream: NO_TERMINAL });
    expect(text).toContain('No exchange with deferred tools could be priced.');
  });

  test('is a range where the cache of the direct request is open, and stands back behind what was measured', () => {
    const written = { inputTokens: 5_000, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 5_000 };
    const report = reportOn([exchange({ ...deferred, usage: [written] }, 0)]);
    const text = renderText(report, { width: 400, stream: NO_TERMINAL });
    expect(text).toMatch(/Estimate: between a loss of \$0\.018\d and a saving of \$0\.125 in 1 exchange\./);
    const arms = experiment({ seed: 7, sessions: 200, full: 2_000, shadow: 6_000 });
    const both = reportOn([...arms, exchange({ ...deferred, usage: [written] }, 0)]);
    expect(renderText(both, { width: 400, stream: NO_TERMINAL })).not.toContain('Estimate:');
  });

  test.each([
    ['clear', { cachedInputTokens: 4_000, cacheWriteTokens: 0 }],
    ['unclear', { cachedInputTokens: 0, cacheWriteTokens: 5_000 }],
  ] as const)('of arm full is %s in the verdict by both its ends', (state, cache) => {
    const usage = { inputTokens: 5_000, outputTokens: 0, ...cache };
    const { findings } = reportOn([exchange({ ...deferred, usage: [usage] }, 0)]).verdict;
    expect(findings.find(({ subject }) => subject === 'Money by deferring, estimated')?.state).toBe(state);
  });

  test('has the estimates by which agents were left alone', () => {
    const left = {
      ...deferred,
      planReason: 'few_savings',
      expected: { freedTokens: 9_000, bill: 1.2, requests: 8, searches: 1 },
    };
    const none = { total: 100, deferred: 0, loaded: 0 };
    const report = reportOn([exchange({ ...left, tools: none }, 9), exchange({ ...left, tools: none }, 9)]);
    expect(report.money.decided).toEqual({
      deferred: { exchanges: 0, freedTokens: 0, bill: 0 },
      leftAlone: { exchanges: 2, freedTokens: 18_000, bill: 2.4 },
    });
    const text = renderText(report, { width: 400, stream: NO_TERMINAL });
    expect(text).toMatch(/left alone \(few_savings\) +2 +9,000 +120\.0%/);
  });

  test('takes prices that are given', () => {
    const prices = {
      ...PRICES,
      models: { ...PRICES.models, llama: { input: 50, cachedInput: 5, output: 1 } },
    };
    const { money } = reportOn([exchange({ ...deferred, model: 'llama' }, 5_000)], prices);
    expect(money.estimated.high.saved).toBeCloseTo(1, 12);
  });
});

test.each([
  [0, '$0.00'],
  [1234.5, '$1,234.50'],
  [0.25, '$0.25'],
  [0.0123456, '$0.0123'],
  [0.000000456, '$0.000000456'],
])('as money: %d is %s', (amount, text) => expect(formatMoney(amount, 'USD')).toBe(text));

test('money that is saved has its sign in front', () => {
  expect([formatSigned(-0.5, 'USD'), formatSigned(2, 'EUR'), formatSigned(0, 'USD')]).toEqual([
    '−$0.50',
    '+€2.00',
    '$0.00',
  ]);
});
