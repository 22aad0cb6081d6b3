import { describe, expect, test } from 'vitest';
import { estimateSavings, type SavingRecord } from '../src/estimate-savings.ts';
import { PRICES } from '../src/price-table.ts';

/** Opus 5: input 5, cached .50, written 6.25, output 25 a million. 80,000 of 100,000 bytes were not sent; 20,000 bytes made 5,000 tokens. */
const RECORD: SavingRecord = {
  model: 'claude-opus-5',
  loadMode: 'swap',
  upstreamCalls: 1,
  hiddenTurnsKnown: 0,
  firstRequestBytes: 20_000,
  toolBytes: {
    before: 82_000,
    after: 2_000,
    first: 2_000,
    estimatedTokensBefore: 20_500,
    estimatedTokensAfter: 500,
  },
  usage: { inputTokens: 5_000, outputTokens: 100, cachedInputTokens: 0, cacheWriteTokens: 0 },
};
const UNSENT_TOKENS = 80_000 * (5_000 / 20_000);
const near = (amount: number) => expect.closeTo(amount, 10);

function estimate(changes: Partial<SavingRecord>) {
  return estimateSavings({ ...RECORD, ...changes }, PRICES);
}

describe('the estimate', () => {
  test("counts bytes that were not sent at the request's own tokens per byte", () => {
    expect(estimate({})).toEqual({
      ok: true,
      notSent: near((UNSENT_TOKENS * 5) / 1e6),
      extraRounds: 0,
      cacheLost: 0,
      saved: near(0.1),
      spent: near((5_000 * 5 + 100 * 25) / 1e6),
    });
  });

  test('prices them as cached where the cache held any of the prompt, and as written where it took some', () => {
    const cached = { ...RECORD.usage!, cachedInputTokens: 4_000 };
    expect(estimate({ usage: cached })).toMatchObject({ notSent: near((UNSENT_TOKENS * 0.5) / 1e6) });
    const written = { ...RECORD.usage!, cacheWriteTokens: 4_000 };
    expect(estimate({ usage: written })).toMatchObject({ notSent: near((UNSENT_TOKENS * 6.25) / 1e6) });
    expect(estimate({ usage: { ...written, longCacheWriteTokens: 4_000 } })).toMatchObject({
      notSent: near((UNSENT_TOKENS * 10) / 1e6),
    });
  });

  test('deducts what searches cost: the prompts of later rounds as they were read, and the output of earlier ones', () => {
    const usageByRound = [
      { round: 1, ...RECORD.usage!, outputTokens: 40 },
      { round: 2, ...RECORD.usage!, inputTokens: 6_000, cachedInputTokens: 1_000 },
    ];
    const extraRounds = (40 * 25 + 5_000 * 5 + 1_000 * 0.5) / 1e6;
    expect(estimate({ upstreamCalls: 2, usageByRound })).toMatchObject({
      extraRounds: near(extraRounds),
      saved: near(0.1 - extraRounds),
    });
  });

  test('is a loss where searches cost more than the tools', () => {
    const round = { ...RECORD.usage!, inputTokens: 50_000 };
    const usageByRound = [1, 2, 3].map((number) => ({ round: number, ...round }));
    const loss = estimate({ upstreamCalls: 3, usageByRound, firstRequestBytes: 200_000 });
    expect(loss.ok && loss.saved).toBeLessThan(-0.3);
  });

  test('deducts a lost cache in a conversation that has searched, where there is a cache', () => {
    const written = { ...RECORD.usage!, cacheWriteTokens: 5_000 };
    const lost = (5_000 * (6.25 - 0.5)) / 1e6;
    expect(estimate({ usage: written, hiddenTurnsKnown: 2 })).toMatchObject({ cacheLost: near(lost) });
    expect(estimate({ usage: written })).toMatchObject({ cacheLost: 0 });
    expect(estimate({ hiddenTurnsKnown: 2 })).toMatchObject({ cacheLost: 0 });
    // Where writing is not charged, there is always a cache.
    expect(estimate({ hiddenTurnsKnown: 2, model: 'gpt-5.4' })).toMatchObject({
      cacheLost: near((5_000 * (2.5 - 0.25)) / 1e6),
    });
  });

  test('knows that natively deferred tools are sent, and are no part of the prompt', () => {
    expect(estimate({ loadMode: 'native', firstRequestBytes: 100_000 })).toMatchObject({
      notSent: near(0.1),
    });
    const swapped = { loadMode: 'swap', swappedInRound: 2, firstRequestBytes: 100_000 } as const;
    expect(estimate(swapped)).toMatchObject({ notSent: near(0.1) });
  });

  test('counts the fewest tokens that definitions take where the ratio is not one of text', () => {
    const fewest = ((80_000 / 6) * 5) / 1e6;
    expect(estimate({ firstRequestBytes: 2_000_000 })).toMatchObject({ notSent: near(fewest) });
    expect(estimate({ firstRequestBytes: 5_000 })).toMatchObject({ notSent: near(fewest) });
  });

  test('prices the whole prompt as a long one where the tools would have made it one', () => {
    const usage = { inputTokens: 90_000, outputTokens: 1_000, cachedInputTokens: 0, cacheWriteTokens: 0 };
    const result = estimate({ model: 'claude-haiku-5-5', usage, firstRequestBytes: 360_000 });
    // 110,000 tokens at .50 and 1,000 out at 2.50 instead of 90,000 at .10 and 1,000 at .50.
    expect(result).toMatchObject({ notSent: near(0.055 + 0.0025 - 0.009 - 0.0005), extraRounds: 0 });
  });

  test.each<[string, Partial<SavingRecord>]>([
    ['unknown_model', { model: 'llama' }],
    ['no_usage', { usage: undefined }],
    ['cache_unknown', { usage: { inputTokens: 5_000, outputTokens: 1 } }],
    ['size_unknown', { firstRequestBytes: undefined }],
    [
      'rate_unknown',
      { model: 'gpt-5.4', usage: { ...RECORD.usage!, inputTokens: 260_000 }, firstRequestBytes: 1_040_000 },
    ],
  ])('is not made where something is missing: %s', (reason, changes) => {
    expect(estimate(changes)).toEqual({ ok: false, reason });
  });
});
