import { z } from 'zod';
import builtIn from './prices.json' with { type: 'json' };

const price = z.number().min(0);

/** What a million tokens of each kind cost. */
const Rates = z.strictObject({
  /** Input that the prompt cache neither held nor took. */
  input: price,
  /** Input that was read from the prompt cache. Where it is absent, calls that read from the cache are not priced. */
  cachedInput: price.optional(),
  /** Input that was written to the prompt cache. Where it is absent, that costs what other input does. */
  cacheWrite: price.optional(),
  /** The same, to be kept for an hour. Where it is absent, calls that write so are not priced. */
  longCacheWrite: price.optional(),
  output: price,
});
export type Rates = z.infer<typeof Rates>;

/** What one model costs, and where that stands. */
export const ModelPrice = Rates.extend({
  /** The rates of a whole call, output included, whose input has more tokens than `above`. */
  longPrompts: Rates.extend({ above: z.int().min(1) }).optional(),
  /** Calls with more tokens of input cost something else that is not known here: they are not priced. */
  upTo: z.int().min(1).optional(),
  /** The page that the price stands on. */
  source: z.url().optional(),
  /** When it stood there. */
  date: z.iso.date().optional(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** A file of prices: list prices of standard service, by the names that requests use for models. */
export const PriceTable = z.strictObject({
  /** An ISO 4217 code. */
  currency: z.string().regex(/^[A-Z]{3}$/),
  models: z.record(z.string(), ModelPrice),
});
export type PriceTable = z.infer<typeof PriceTable>;

/** The prices that come with Winnow, each with its source and date. */
export const PRICES: PriceTable = PriceTable.parse(builtIn);

/**
 * The prices that come with Winnow, with those of a file over them: an entry of the file replaces that of the same model. A file in
 * another currency stands alone, as amounts of two cannot be added.
 */
export function withPrices(own: PriceTable): PriceTable {
  return own.currency === PRICES.currency ? { ...PRICES, models: { ...PRICES.models, ...own.models } } : own;
}

/** Dates that vendors put behind the names of snapshots: `-20251001`, `-2026-03-05`. */
const SNAPSHOT = /-(?:20\d{6}|20\d{2}-\d{2}-\d{2})$/;

/**
 * The price of a model: under its own name, else under that without the date of a snapshot. Nothing else is guessed, neither from similar
 * names nor from a gateway's prefix, whose prices are its own.
 */
export function priceOf({ models }: PriceTable, model: string | undefined): ModelPrice | undefined {
  if (model === undefined) return undefined;
  return own(models, model) ?? own(models, model.replace(SNAPSHOT, ''));
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
