import { describe, expect, test } from 'vitest';
import { callCost } from '../../src/prices/call-cost.ts';
import { estimateSavings, hasSavings, type SavingRecord } from '../../src/prices/estimate-savings.ts';
import { PRICES } from '../../src/prices/price-table.ts';

/** Opus 5: input 5, cached .50, written 6.25, output 25 a million. 80,000 of 100,000 bytes were not sent; 20,000 bytes made 5,000 tokens. */
const ROUND = { inputTokens: 5_000, outputTokens: 100, cachedInputTokens: 0, cacheWriteTokens: 0 };
const RECORD: SavingRecord = {
  model: 'claude-opus-5',
  upstreamCalls: 1,
  promptBytes: 20_000,
  toolBytes: {
    before: 82_000,
    after: 2_000,
    first: 2_000,
  },
  usage: [ROUND],
};
const UNSENT_TOKENS = 80_000 * (5_000 / 20_000);
const near = (amount: number) => expect.closeTo(amount, 10);
const written = { ...ROUND, cacheWriteTokens: 5_000 };

function estimate(changes: Partial<SavingRecord>) {
  return estimateSavings({ ...RECORD, ...changes }, PRICES);
}

describe('the estimate', () => {
  test("counts bytes that were not sent at the request's own tokens per byte", () => {
    const savings = {
      notSent: near((UNSENT_TOKENS * 5) / 1e6),
      extraRounds: 0,
      cacheLost: 0,
      saved: near(0.1),
      spent: near((5_000 * 5 + 100 * 25) / 1e6),
    };
    // Nothing was read or written, so no cache is in use, and nothing is open.
    expect(estimate({})).toEqual({ ok: true, low: savings, high: savings });
  });

  test('prices them as cached where the cache held any of the prompt', () => {
    const usage = { ...ROUND, cachedInputTokens: 4_000, cacheWriteTokens: 1_000 };
    expect(estimate({ usage: [usage], newBytes: 4_000 })).toMatchObject({
      low: { notSent: near((UNSENT_TOKENS * 0.5) / 1e6), cacheLost: 0 },
      high: { notSent: near((UNSENT_TOKENS * 0.5) / 1e6), cacheLost: 0 },
    });
  });

  test('leaves open whether a cache that its own prompt missed would have held the direct one', () => {
    const lost = (5_000 * (6.25 - 0.5)) / 1e6;
    expect(estimate({ usage: [written] })).toMatchObject({
      low: { notSent: near((UNSENT_TOKENS * 0.5) / 1e6), cacheLost: near(lost) },
      high: { notSent: near((UNSENT_TOKENS * 6.25) / 1e6), cacheLost: 0 },
    });
    expect(estimate({ usage: [{ ...written, longCacheWriteTokens: 5_000 }] })).toMatchObject({
      high: { notSent: near((UNSENT_TOKENS * 10) / 1e6) },
    });
  });

  test('holds the truth of a first request, whether the direct one would have been read or written', () => {
    // 25,000 tokens in all, of which the last 1,000 are new; Winnow's 5,000 were written.
    const output = 100;
    const spent = callCost(written, PRICES.models['claude-opus-5']!);
    const savedBy = (usage: { cachedInputTokens: number; cacheWriteTokens: number }) => {
      const whole = callCost(
        { inputTokens: 25_000, outputTokens: output, ...usage },
        PRICES.models['claude-opus-5']!,
      );
      return (whole.ok ? whole.amount : 0) - (spent.ok ? spent.amount : 0);
    };
    expect(estimate({ usage: [written], newBytes: 4_000 })).toMatchObject({
      low: { saved: near(savedBy({ cachedInputTokens: 24_000, cacheWriteTokens: 1_000 })) },
      high: { saved: near(savedBy({ cachedInputTokens: 0, cacheWriteTokens: 25_000 })) },
    });
  });

  test('counts a lost cache in the first exchange of a conversation, too, where caching is free', () => {
    const usage = { ...ROUND, cachedInputTokens: 1_024 };
    expect(estimate({ usage: [usage], model: 'gpt-5.4' })).toMatchObject({
      low: { cacheLost: near((3_976 * (2.5 - 0.25)) / 1e6) },
      high: { cacheLost: 0 },
    });
  });

  test('leaves a cache open whose least prompt was not reached without the tools', () => {
    const usage = { ...ROUND, inputTokens: 3_000 };
    const result = estimate({ usage: [usage], promptBytes: 12_000 });
    expect(result).toMatchObject({ high: { notSent: near(0.1) } });
    expect(result.ok && result.low.saved).toBeLessThan(0.01);
  });

  test('deducts what searches cost: the prompts of later rounds as they were read, and the output of earlier ones', () => {
    const usage = [
      { ...ROUND, outputTokens: 40 },
      { ...ROUND, inputTokens: 6_000, cachedInputTokens: 1_000 },
    ];
    const extraRounds = (40 * 25 + 5_000 * 5 + 1_000 * 0.5) / 1e6;
    expect(estimate({ upstreamCalls: 2, usage })).toMatchObject({
      high: { extraRounds: near(extraRounds), saved: near(0.1 - extraRounds) },
    });
  });

  test('is a loss at both ends where searches cost more than the tools', () => {
    const round = { ...ROUND, inputTokens: 50_000 };
    const usage = [round, round, round];
    const loss = estimate({ upstreamCalls: 3, usage, promptBytes: 200_000 });
    expect(loss.ok && loss.high.saved).toBeLessThan(-0.3);
  });

  test('is a range where the provider does not report what its cache held', () => {
    const usage = { inputTokens: 5_000, outputTokens: 100 };
    const warm = (UNSENT_TOKENS * 0.5) / 1e6;
    expect(estimate({ usage: [usage] })).toMatchObject({
      ok: true,
      // The direct prompt read, and Winnow's not.
      low: { notSent: near(warm), cacheLost: near((5_000 * 4.5) / 1e6) },
      // Neither read.
      high: { notSent: near((UNSENT_TOKENS * 5) / 1e6), cacheLost: 0 },
    });
  });

  test('of a model without a price for its cache takes all input alike', () => {
    const table = { currency: 'USD', models: { mine: { input: 5, output: 25 } } };
    const usage = { inputTokens: 5_000, outputTokens: 100 };
    const result = estimateSavings({ ...RECORD, model: 'mine', usage: [usage] }, table);
    expect(result).toMatchObject({ low: { saved: near(0.1) }, high: { saved: near(0.1) } });
  });

  test('counts the fewest tokens that definitions take where the ratio is not one of text', () => {
    const fewest = ((80_000 / 6) * 5) / 1e6;
    expect(estimate({ promptBytes: 2_000_000 })).toMatchObject({ high: { notSent: near(fewest) } });
    expect(estimate({ promptBytes: 5_000 })).toMatchObject({ high: { notSent: near(fewest) } });
  });

  test('prices the whole prompt as a long one where the tools would have made it one', () => {
    const usage = { inputTokens: 90_000, outputTokens: 1_000, cachedInputTokens: 0, cacheWriteTokens: 0 };
    const result = estimate({ model: 'claude-haiku-5-5', usage: [usage], promptBytes: 360_000 });
    // 110,000 tokens at .50 and 1,000 out at 2.50 instead of 90,000 at .10 and 1,000 at .50.
    expect(result).toMatchObject({
      high: { notSent: near(0.055 + 0.0025 - 0.009 - 0.0005), extraRounds: 0 },
    });
  });

  test.each<[string, Partial<SavingRecord>]>([
    ['unknown_model', { model: 'llama' }],
    ['no_usage', { usage: undefined }],
    ['size_unknown', { promptBytes: undefined }],
    [
      'rate_unknown',
      { model: 'gpt-5.4', usage: [{ ...ROUND, inputTokens: 260_000 }], promptBytes: 1_040_000 },
    ],
  ])('is not made where something is missing: %s', (reason, changes) => {
    expect(estimate(changes)).toEqual({ ok: false, reason });
  });
});

test('a request that goes back to passing may have lost the cache of its head', () => {
  const back = {
    toolBytes: { ...RECORD.toolBytes, first: 82_000 },
    usage: [written],
    newBytes: 4_000,
  };
  const tools = { total: 100, deferred: 0, loaded: 0 };
  expect(hasSavings({ arm: 'full', tools })).toBe(false);
  const expected = { freedTokens: 16_000, bill: 1.2, isChange: true } as const;
  expect(hasSavings({ arm: 'full', tools, expected })).toBe(true);
  const lost = (4_000 * (6.25 - 0.5)) / 1e6;
  expect(estimate(back)).toMatchObject({ low: { saved: near(-lost) }, high: { saved: near(0) } });
});
