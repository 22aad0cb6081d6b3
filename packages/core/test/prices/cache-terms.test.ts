import { describe, expect, test } from 'vitest';
import { discountsCached, longMarked, termsOf, usualTerms } from '../../src/prices/cache-terms.ts';
import { PRICES } from '../../src/prices/price-table.ts';

describe('the terms of a model', () => {
  test('are its own price and least prompt', () => {
    expect(termsOf(PRICES, 'claude-opus-4-5', false)).toMatchObject({ rates: { input: 5 }, minimum: 4_096 });
    expect(termsOf(PRICES, 'gpt-5.4', false)).toMatchObject({ rates: { cachedInput: 0.25 }, minimum: 1_024 });
  });

  test.each(['claude-opus-9', 'eu.anthropic.claude-opus-9-v1:0'])(
    "of an unknown name at the vendor's server have its family's ratios: %s",
    (model) => {
      expect(termsOf(PRICES, model, true)).toEqual({
        rates: { input: 1, cachedInput: 0.1, cacheWrite: 1.25, longCacheWrite: 2, output: 5 },
        minimum: 1_024,
      });
    },
  );

  test.each([
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['anthropic/claude-fable-5-1', 'claude-fable-5-1'],
    ['claude-opus-4-6@20260205', 'claude-opus-4-6'],
    ['openrouter/openai/gpt-5.4-mini:nitro', 'gpt-5.4-mini'],
  ])('are those of the vendor’s own name where a gateway or a cloud adds to it: %s', (model, own) => {
    expect(termsOf(PRICES, model, false)).toEqual(termsOf(PRICES, own, false));
    expect(termsOf(PRICES, own, false)).toBeDefined();
  });

  test('of Google have the usual ratio for cached input, whose price the table lacks', () => {
    const { input, cachedInput } = termsOf(PRICES, 'gemini-3.5-flash', false)!.rates;
    expect(cachedInput! / input).toBeCloseTo(0.1, 9);
    expect(termsOf(PRICES, 'gemini-99', true)!.rates).toEqual({ input: 1, cachedInput: 0.1, output: 6 });
    const models = { 'gemini-3.5-flash': { input: 2, cachedInput: 1, output: 3 } };
    expect(termsOf({ currency: 'USD', models }, 'gemini-3.5-flash', false)!.rates.cachedInput).toBe(1);
  });

  test('have a higher price for writes that are kept for an hour', () => {
    const terms = termsOf(PRICES, 'claude-opus-5', false)!;
    expect(longMarked(terms)).toMatchObject({
      rates: { cacheWrite: terms.rates.longCacheWrite },
      minimum: 1_024,
    });
    expect(longMarked(termsOf(PRICES, 'gpt-5.4', false)!)).toEqual(termsOf(PRICES, 'gpt-5.4', false));
  });

  test("are unknown for an unknown model of another server, and for no vendor's family", () => {
    expect(termsOf(PRICES, 'claude-opus-9', false)).toBeUndefined();
    expect(termsOf(PRICES, 'llama3.3', true)).toBeUndefined();
    expect(termsOf(PRICES, undefined, true)).toBeUndefined();
    expect(termsOf({ currency: 'EUR', models: {} }, 'gpt-9', true)).toBeUndefined();
  });
});

describe('the usual terms at a server that caches', () => {
  test.each([
    ['openai', { input: 1, cachedInput: 0.1, output: 6 }],
    ['anthropic', { input: 1, cachedInput: 0.1, cacheWrite: 1.25, longCacheWrite: 2, output: 5 }],
    // No price of its own family, or none of cached input: those of all models.
    ['ollama', { input: 1, cachedInput: 0.1, cacheWrite: 1.25, longCacheWrite: 2, output: 5 }],
    ['gemini', { input: 1, cachedInput: 0.1, cacheWrite: 1.25, longCacheWrite: 2, output: 5 }],
  ])('are the medians of the models of %s', (vendor, rates) => {
    expect(usualTerms(PRICES, vendor)).toEqual({ rates, minimum: 1_024 });
    expect(discountsCached(usualTerms(PRICES, vendor))).toBe(true);
  });

  test('are unknown if the table tells no price of cached input', () => {
    const models = { ours: { input: 2, output: 3 } };
    expect(usualTerms({ currency: 'EUR', models }, 'openai')).toBeUndefined();
    expect(discountsCached(undefined)).toBe(false);
    expect(discountsCached(termsOf({ currency: 'EUR', models }, 'ours', true))).toBe(false);
  });
});
