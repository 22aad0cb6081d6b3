import { z } from 'zod';
import builtIn from './prices.json' with { type: 'json' };

const price = z.number().min(0);

/** Prices per million tokens of each kind. */
const Rates = z.strictObject({
  /** Input that was neither read from nor written to the prompt cache. */
  input: price,
  /** Input read from the prompt cache. If absent, calls that read from the cache are not priced. */
  cachedInput: price.optional(),
  /** Input written to the prompt cache. If absent, it costs the same as other input. */
  cacheWrite: price.optional(),
  /** Input written to the prompt cache for an hour. If absent, calls with such writes are not priced. */
  longCacheWrite: price.optional(),
  output: price,
});
export type Rates = z.infer<typeof Rates>;

/** The prices of one model, and their source. */
export const ModelPrice = Rates.extend({
  /** Rates of a whole call, including output, with more than `above` input tokens. */
  longPrompts: Rates.extend({ above: z.int().min(1) }).optional(),
  /** The input tokens up to which these rates apply; larger calls are not priced. */
  upTo: z.int().min(1).optional(),
  /** The tokens from which on a prompt is cached; 1,024 if absent. */
  cacheMinimum: z.int().min(1).optional(),
  /** The page that lists the price. */
  source: z.url().optional(),
  /** The date on which the page listed it. */
  date: z.iso.date().optional(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** A file of prices: list prices of standard service, by the model names in requests. */
export const PriceTable = z.strictObject({
  /** An ISO 4217 code. */
  currency: z.string().regex(/^[A-Z]{3}$/),
  models: z.record(z.string(), ModelPrice),
});
export type PriceTable = z.infer<typeof PriceTable>;

/** The prices that ship with Winnow, each with its source and date. */
export const PRICES: PriceTable = PriceTable.parse(builtIn);

/**
 * Returns the built-in prices with those of a file on top: an entry of the file replaces the one of the same
 * model. A file in another currency replaces the whole table, because amounts in two currencies cannot be
 * added.
 */
export function withPrices(own: PriceTable): PriceTable {
  return own.currency === PRICES.currency ? { ...PRICES, models: { ...PRICES.models, ...own.models } } : own;
}

/** Date suffixes of snapshot names: `-20251001`, `-2026-03-05`. */
const SNAPSHOT = /-(?:20\d{6}|20\d{2}-\d{2}-\d{2})$/;

/**
 * Returns the price of a model by its name, or by its name without a snapshot date. Does not guess from
 * similar names or gateway prefixes: gateways have their own prices.
 */
export function priceOf({ models }: PriceTable, model: string | undefined): ModelPrice | undefined {
  if (model === undefined) return undefined;
  return own(models, model) ?? own(models, model.replace(SNAPSHOT, ''));
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
