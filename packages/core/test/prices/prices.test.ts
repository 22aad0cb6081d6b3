import { describe, expect, test } from 'vitest';
import { callCost, exchangeCost } from '../../src/prices/call-cost.ts';
import { PRICES, PriceTable, priceOf, withPrices } from '../../src/prices/price-table.ts';

const OPUS = PRICES.models['claude-opus-5']!;
const cost = (amount: number) => ({ ok: true, amount: expect.closeTo(amount, 12) });

describe('the table that comes with Winnow', () => {
  test('says for every model where and when its price stood', () => {
    for (const [model, { source, date }] of Object.entries(PRICES.models)) {
      expect(source, model).toMatch(/^https:\/\//);
      expect(date, model).toMatch(/^2026-/);
    }
  });

  test('has reading from the cache cheaper than input, and writing to it no cheaper', () => {
    const all = Object.values(PRICES.models).flatMap((price) => [price, price.longPrompts ?? []].flat());
    for (const { input, cachedInput = 0, cacheWrite = input, longCacheWrite = cacheWrite, output } of all) {
      expect(cachedInput).toBeLessThan(input);
      expect(cacheWrite).toBeGreaterThanOrEqual(input);
      expect(longCacheWrite).toBeGreaterThanOrEqual(cacheWrite);
      expect(output).toBeGreaterThan(input);
    }
  });
});

describe('a model', () => {
  test.each(['claude-haiku-4-5', 'claude-haiku-4-5-20251001'])('is known as %s', (name) => {
    expect(priceOf(PRICES, name)?.input).toBe(1);
  });

  test('is known by the date of a snapshot in dashes', () => {
    expect(priceOf(PRICES, 'gpt-5.4-2026-03-05')).toBe(PRICES.models['gpt-5.4']);
  });

  test.each([
    'anthropic/claude-opus-5',
    'claude-opus-5-fast',
    'claude-opus',
    '',
    'toString',
    '__proto__',
    undefined,
  ])('that is only similar is unknown: %s', (name) => expect(priceOf(PRICES, name)).toBeUndefined());
});

describe('a file of prices', () => {
  test('goes over the prices that come with Winnow, model by model', () => {
    const table = withPrices(
      PriceTable.parse({
        currency: 'USD',
        models: { 'claude-opus-5': { input: 1, output: 2 }, mine: { input: 3, output: 4 } },
      }),
    );
    expect(table.models['claude-opus-5']).toEqual({ input: 1, output: 2 });
    expect(table.models.mine).toEqual({ input: 3, output: 4 });
    expect(table.models['gpt-5.5']).toBe(PRICES.models['gpt-5.5']);
  });

  test('in another currency stands alone', () => {
    const own = PriceTable.parse({ currency: 'EUR', models: {} });
    expect(withPrices(own)).toBe(own);
  });

  test.each([
    { currency: 'USD', models: { m: { input: -1, output: 2 } } },
    { currency: 'USD', models: { m: { input: 1 } } },
    { currency: 'USD', models: { m: { input: 1, output: 2, cached: 3 } } },
    { currency: 'dollar', models: {} },
  ])('with a mistake is refused: %j', (file) => {
    expect(PriceTable.safeParse(file).success).toBe(false);
  });
});

describe('a call', () => {
  test('costs by kind of token', () => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 100_000,
      cachedInputTokens: 400_000,
      cacheWriteTokens: 300_000,
      longCacheWriteTokens: 100_000,
    };
    // 300,000 plain at 5, 400,000 cached at 0.50, 200,000 written at 6.25, 100,000 for an hour at 10, 100,000 out at 25.
    expect(callCost(usage, OPUS)).toEqual(cost(1.5 + 0.2 + 1.25 + 1 + 2.5));
  });

  test('with a long prompt costs what long prompts do, output included', () => {
    const haiku = PRICES.models['claude-haiku-5-5']!;
    const usage = { outputTokens: 1_000, cachedInputTokens: 0, cacheWriteTokens: 0 };
    expect(callCost({ ...usage, inputTokens: 100_000 }, haiku)).toEqual(cost(0.01 + 0.0005));
    expect(callCost({ ...usage, inputTokens: 100_001 }, haiku)).toEqual(cost(0.0500005 + 0.0025));
  });

  test('beyond what the price holds for has none', () => {
    const usage = { inputTokens: 272_001, outputTokens: 1, cachedInputTokens: 0 };
    expect(callCost(usage, PRICES.models['gpt-5.5']!)).toEqual({ ok: false, reason: 'rate_unknown' });
  });

  test('that does not say what the cache held has none, unless the model has no price for it', () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    expect(callCost(usage, OPUS)).toEqual({ ok: false, reason: 'cache_unknown' });
    expect(callCost(usage, { input: 2, output: 4 })).toEqual(cost(2));
  });

  test('that read from a cache whose price is not known has none', () => {
    const usage = { inputTokens: 10, outputTokens: 0, cachedInputTokens: 1 };
    expect(callCost(usage, { input: 2, output: 4 })).toEqual({ ok: false, reason: 'rate_unknown' });
  });
});

describe('an exchange', () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 };
  const record = { model: 'claude-opus-5', upstreamCalls: 1, usage: [usage] };

  test('costs what its calls do together', () => {
    const both = [usage, { ...usage, cachedInputTokens: 1_000_000 }];
    expect(exchangeCost({ ...record, upstreamCalls: 2, usage: both }, PRICES)).toEqual(cost(5.5));
  });

  test('counts failed calls as free, and is not priced where an answered one keeps its tokens to itself', () => {
    expect(exchangeCost({ ...record, upstreamCalls: 2, failedRounds: [{}] }, PRICES)).toEqual(cost(5));
    expect(exchangeCost({ ...record, upstreamCalls: 2 }, PRICES)).toEqual({ ok: false, reason: 'no_usage' });
  });

  test('of an unknown model is not priced', () => {
    expect(exchangeCost({ ...record, model: 'llama' }, PRICES)).toEqual({
      ok: false,
      reason: 'unknown_model',
    });
  });
});
