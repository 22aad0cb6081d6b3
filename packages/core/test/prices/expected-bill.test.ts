import { describe, expect, it } from 'vitest';
import { type AgentMeans, expectedBill, PRICES, ratiosOf } from '../../src/index.ts';

const SIZES = { head: 9_000, freed: 16_000, preloaded: 1_000, found: 1_200, isSwapped: false };
const MEANS: AgentMeans = {
  requests: 10,
  searches: 1,
  found: 4,
  cachedHead: 1,
  cachedHistory: 1,
  isDeferring: undefined,
};
const RATIOS = { cached: 0.1, written: 1.25, output: 5, minimum: 1_024 };
const billWith = (means: Partial<AgentMeans>, sizes: Partial<typeof SIZES> = {}, ratios = RATIOS) =>
  expectedBill({ ...SIZES, ...sizes }, { ...MEANS, ...means }, ratios);

describe('the expected bill', () => {
  it('is that of the example', () => {
    expect(billWith({})).toBeCloseTo(31_860 / 41_500, 4);
  });

  it('grows with searches, with preloaded tools, and most where found tools are swapped', () => {
    const bills = [0, 1, 2, 4].map((searches) => billWith({ searches }));
    expect(bills).toEqual(bills.toSorted((one, other) => one - other));
    expect(billWith({}, { preloaded: 0 })).toBeLessThan(billWith({}));
    expect(billWith({}, { isSwapped: true })).toBeGreaterThan(billWith({}) + 0.2);
  });

  it('falls with the heads that the cache loses, and where nothing is cached', () => {
    const bills = [1, 0.8, 0.4].map((cachedHead) => billWith({ cachedHead }));
    expect(bills).toEqual(bills.toSorted((one, other) => other - one));
    expect(billWith({ cachedHead: undefined })).toBeLessThan(billWith({}));
  });

  it('grows where servers of a provider hold the head, and only a part of each history', () => {
    const bills = [1, 0.7, 0.3].map((cachedHistory) => billWith({ cachedHistory, searches: 3 }));
    expect(bills).toEqual(bills.toSorted((one, other) => one - other));
  });

  it('counts a head that becomes too short to be cached at the full price', () => {
    const sizes = { head: 3_000, freed: 4_000, preloaded: 0, found: 300 };
    expect(billWith({ requests: 4 }, sizes, { ...RATIOS, minimum: 4_096 })).toBeGreaterThan(1.05);
    expect(billWith({ requests: 4 }, sizes)).toBeLessThan(1);
  });

  it('counts the price of a change of mind', () => {
    expect(billWith({ isDeferring: false })).toBeGreaterThan(billWith({}));
    expect(billWith({ isDeferring: true })).toBeLessThan(billWith({}));
    expect(billWith({ isDeferring: true, cachedHead: undefined })).toBe(billWith({ cachedHead: undefined }));
  });
});

describe('the ratios of a model', () => {
  it('are those of its price, also under the names of clouds and gateways', () => {
    const ratios = { cached: 0.05, written: 1.25, output: 5 };
    for (const name of ['claude-opus-5-5', 'us.anthropic.claude-opus-5-5-v1:0', 'anthropic/claude-opus-5-5'])
      expect(ratiosOf(PRICES, name, 'openai')).toMatchObject(ratios);
  });

  it('are the usual ones of the format where no price is known, and for cached input without one', () => {
    expect(ratiosOf(PRICES, 'ours', 'anthropic')).toEqual({
      cached: 0.1,
      written: 1.25,
      output: 5,
      minimum: 1_024,
    });
    expect(ratiosOf(PRICES, undefined, 'ollama')).toMatchObject({ cached: 0.1, written: 1 });
    const models = { ours: { input: 2, output: 3 }, free: { input: 0, output: 0 } };
    expect(ratiosOf({ currency: 'USD', models }, 'ours', 'openai')).toMatchObject({
      cached: 0.1,
      output: 1.5,
    });
    expect(ratiosOf({ currency: 'USD', models }, 'free', 'openai')).toMatchObject({ output: 6 });
  });
});
