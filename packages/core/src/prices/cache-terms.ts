import type { CacheTerms } from './estimate-bills.ts';
import { type PriceTable, priceOf, type Rates } from './price-table.ts';

/** Tokens below which most providers cache no prompt. */
const USUAL_MINIMUM = 1_024;

/** Rates and least prompt of a model, for estimates that only compare. */
export type ModelTerms = Omit<CacheTerms, 'isCached' | 'isHeadOnly'>;

/** Returns the terms of prompts whose marks keep them for an hour: writing them costs more. */
export function longMarked(terms: ModelTerms): ModelTerms {
  const { cacheWrite, longCacheWrite = cacheWrite } = terms.rates;
  return {
    ...terms,
    rates: { ...terms.rates, ...(longCacheWrite !== undefined && { cacheWrite: longCacheWrite }) },
  };
}

/**
 * Returns the terms of a model; undefined if neither its price nor that of its vendor's models is known. A model
 * that a gateway or a cloud gives a longer name has the terms of its vendor's own; an unknown model of a known
 * family has its family's usual ratios, relative to its input.
 *
 * @param isFamilyKnown whether the model's name shows its family: the server is the vendor's, or a gateway to
 *   it.
 */
export function termsOf(
  table: PriceTable,
  model: string | undefined,
  isFamilyKnown: boolean,
): ModelTerms | undefined {
  const family = FAMILIES.find(({ named }) => named.test(model ?? ''));
  const price = priceOf(table, model) ?? priceOf(table, model && vendorsName(model));
  const rates = price ?? (isFamilyKnown && family ? usualRatios(table, family.named) : undefined);
  if (rates === undefined) return undefined;
  const minimum = price?.cacheMinimum ?? USUAL_MINIMUM;
  return { rates: family?.discounts ? discounted(table, rates) : rates, minimum };
}

/** Returns rates with the usual ratio for cached input where the table does not tell its price. */
function discounted(table: PriceTable, rates: Rates): Rates {
  const ratio = usualRatios(table, ANY)?.cachedInput;
  return ratio === undefined ? rates : { cachedInput: rates.input * ratio, ...rates };
}

/** The parts in front of and behind a model's name: a path, a cloud's region and vendor; a version. */
const ADDED = /^(?:.*\/)?(?:[a-z][a-z-]*\.)*|(?:-v\d+)?(?::\w+)?$|@.*$/g;

/** Returns a model's name without the parts that gateways and clouds add: `us.anthropic.claude-opus-5-v1:0`. */
function vendorsName(model: string): string {
  return model.slice(0, MOST_CHARS).replace(ADDED, '');
}

/** Longest name that is looked at, in characters: clients may write anything into it. */
const MOST_CHARS = 256;

/**
 * Returns the terms that a model of unknown price probably has at a server that caches prompts: the usual
 * ratios of the vendor whose format it speaks, or else of all models. Undefined if the table has no price for
 * cached input.
 */
export function usualTerms(table: PriceTable, vendor: string): ModelTerms | undefined {
  const family = FAMILIES.find((one) => one.vendor === vendor);
  const patterns = family === undefined ? [ANY] : [family.named, ANY];
  const rates = patterns
    .map((named) => usualRatios(table, named))
    .find((one) => one?.cachedInput !== undefined);
  return rates && { rates, minimum: USUAL_MINIMUM };
}

/** Whether input that was read from the cache costs less. */
export function discountsCached(terms: ModelTerms | undefined): boolean {
  const { input = 0, cachedInput = input } = terms?.rates ?? {};
  return cachedInput < input;
}

/**
 * Families of models with prices of one shape, by the names of models; clouds put a region in front. The open
 * models `gpt-oss` are not of OpenAI's prices.
 */
const FAMILIES: readonly { vendor: string; named: RegExp; discounts?: true }[] = [
  { vendor: 'anthropic', named: /\bclaude-/ },
  { vendor: 'openai', named: /\bgpt-\d/ },
  // Google says of all its models that cached input costs less.
  { vendor: 'gemini', named: /\bgemini-/, discounts: true },
];
const ANY = /(?:)/;

/** Ratios by table, then by the pattern of a family: every request of an unknown model needs them. */
const known = new WeakMap<PriceTable, Map<RegExp, Rates | undefined>>();

function usualRatios(table: PriceTable, named: RegExp): Rates | undefined {
  const byFamily = known.get(table) ?? new Map<RegExp, Rates | undefined>();
  known.set(table, byFamily);
  if (!byFamily.has(named)) byFamily.set(named, medianRatios(table, named));
  return byFamily.get(named);
}

/** Returns the median of each rate over a family's models, relative to input. */
function medianRatios({ models }: PriceTable, named: RegExp): Rates | undefined {
  const family = Object.entries(models).flatMap(([name, price]) => (named.test(name) ? price : []));
  if (family.length === 0) return undefined;
  const ratio = (kind: Exclude<keyof Rates, 'input'>) =>
    medianOf(family.flatMap((price) => (price[kind] === undefined ? [] : price[kind] / price.input)));
  const known = (['cachedInput', 'cacheWrite', 'longCacheWrite'] as const).flatMap((kind) => {
    const median = ratio(kind);
    return median === undefined ? [] : [[kind, median]];
  });
  return { input: 1, output: ratio('output') ?? 1, ...Object.fromEntries(known) };
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((left, right) => left - right)[values.length >> 1];
}
