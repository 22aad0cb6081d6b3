import type { ExchangeRecord, TokenUsage } from '../contract/exchange-record.ts';
import { type Cost, callCost, inputCost, ratesFor, type UnpricedReason } from './call-cost.ts';
import { type CostedRecord, callsOf } from './exchange-cost.ts';
import { type ModelPrice, type PriceTable, priceOf } from './price-table.ts';
import { type CacheCase, cacheCases } from './savings-cases.ts';

/** The record fields that savings are estimated from. */
export type SavingRecord = CostedRecord &
  Pick<
    ExchangeRecord,
    'firstRequestBytes' | 'format' | 'loadMode' | 'newBytes' | 'swappedInRound' | 'toolBytes' | 'tools'
  >;

/**
 * The estimated savings of one exchange by deferring, for one assumption about the cache. Amounts are in the
 * currency of the table.
 */
interface Savings {
  /** Cost of the unsent tools in the client's single request. */
  readonly notSent: number;
  /** Cost of the requests that the client did not make: searches of the model, and the repeated prompt. */
  readonly extraRounds: number;
  /** Extra cost of the first prompt because the cache held less of it than of the direct one. */
  readonly cacheLost: number;
  /** `notSent` minus the other two; negative if deferring cost more than it saved. */
  readonly saved: number;
  /** Total cost of the exchange. */
  readonly spent: number;
}

/**
 * The savings of an exchange: `low` if the cache favours the direct request as far as the record allows,
 * `high` if it favours deferring. Both are the same where the record leaves nothing open.
 */
export type Estimate =
  | { readonly ok: true; readonly low: Savings; readonly high: Savings }
  | { readonly ok: false; readonly reason: InestimableReason };

/** Reason why nothing can be said about savings. */
export type InestimableReason = UnpricedReason | 'size_unknown';

/**
 * Whether deferring had an effect on the cost of an exchange: it defers, or is the first one to pass after an agent's
 * conversations that did, which finds no cache of its head.
 */
export function hasSavings({
  arm,
  tools,
  expected,
}: Pick<ExchangeRecord, 'arm' | 'tools' | 'expected'>): boolean {
  return arm === 'full' && (tools.deferred > 0 || expected?.isChange === true);
}

/**
 * Estimates the savings of deferring in an exchange with an effect ({@link hasSavings}): the cost of the client's single request
 * with all its tools, minus what the exchange cost.
 *
 * - *not sent*: the bytes of unsent tools, times the tokens per byte of this request.
 * - *extra rounds*: the cost of all calls, minus the first prompt and the last output, which the client would
 *   have paid anyway. Includes caches that loading tools invalidated: later prompts are priced as they were
 *   actually read.
 * - *cache lost*: the cost of the first prompt, minus its cost if the cache had held as much of it as of the
 *   direct prompt.
 *
 * The cache that the direct request would have met is not known, so there are two amounts: see `cacheCases`.
 */
export function estimateSavings(record: SavingRecord, table: PriceTable): Estimate {
  const calls = callsOf(record);
  if (calls === undefined) return { ok: false, reason: 'no_usage' };
  const price = priceOf(table, record.model);
  if (price === undefined) return { ok: false, reason: 'unknown_model' };
  const bytes = unsentBytes(record);
  if (bytes === undefined) return { ok: false, reason: 'size_unknown' };
  const ratio = tokensPerByte(calls[0]!.inputTokens, bytes.prompt);
  const unsent = bytes.notSent * ratio;
  const fresh = Math.min(calls[0]!.inputTokens, (record.newBytes ?? 0) * ratio);
  return rangeOf(cacheCases({ calls, price, unsent, fresh }).map((one) => priceCase(one, price)));
}

type Priced = ({ readonly ok: true } & Savings) | Extract<Cost, { ok: false }>;

/** Returns the least and the most that any case saves. */
function rangeOf(cases: readonly Priced[]): Estimate {
  let range: { low: Savings; high: Savings } | undefined;
  for (const one of cases) {
    if (!one.ok) return one;
    const { ok: _, ...savings } = one;
    range ??= { low: savings, high: savings };
    if (savings.saved < range.low.saved) range.low = savings;
    if (savings.saved > range.high.saved) range.high = savings;
  }
  return { ok: true, ...range! };
}

/** Prices one case. Each call has the rates of its own length; long prompts may have dearer ones. */
function priceCase({ calls, direct, first }: CacheCase, price: ModelPrice): Priced {
  const { outputTokens } = calls.at(-1)!;
  const rates = ratesFor(price, first.inputTokens);
  if (rates === undefined) return { ok: false, reason: 'rate_unknown' };
  const whole = callCost({ ...direct, outputTokens }, price);
  const read = inputCost(calls[0]!, rates);
  const likeDirect = inputCost(first, rates);
  const costs = calls.map((call) => callCost(call, price));
  for (const cost of [whole, read, likeDirect, ...costs]) if (!cost.ok) return cost;
  const spent = costs.reduce((sum, cost) => sum + amountOf(cost), 0);
  const saved = amountOf(whole) - spent;
  const extraRounds = calls.length === 1 ? 0 : spent - amountOf(read) - (outputTokens * rates.output) / 1e6;
  const cacheLost = amountOf(read) - amountOf(likeDirect);
  return { ok: true, notSent: saved + extraRounds + cacheLost, extraRounds, cacheLost, saved, spent };
}

const amountOf = (cost: Cost): number => (cost.ok ? cost.amount : 0);

/** The format whose native mode leaves definitions out of the body until they are found. */
const LEAVES_DEFINITIONS_OUT = 'openai-responses';

/** Bytes of a body around each natively deferred definition, which the provider keeps out of the prompt as well. */
const DEFERRED_FRAME_BYTES = ',"defer_loading":true,'.length;

/**
 * Returns the bytes of the tools left out of the first prompt, and of that prompt; undefined if the record
 * lacks them.
 */
function unsentBytes(record: SavingRecord) {
  const { firstRequestBytes, format, loadMode, swappedInRound, toolBytes, tools } = record;
  const { before, first } = toolBytes;
  if (firstRequestBytes === undefined || first === undefined) return undefined;
  const notSent = Math.max(0, before - first);
  // Natively deferred tools are mostly sent, and the provider keeps them out of the prompt; this includes
  // first requests before a later switch to swapping.
  const wasNative = loadMode === 'native' || swappedInRound !== undefined;
  const areSent = wasNative && format !== LEAVES_DEFINITIONS_OUT;
  const outside = notSent + tools.deferred * DEFERRED_FRAME_BYTES;
  const prompt = areSent ? firstRequestBytes - outside : firstRequestBytes;
  return prompt > 0 ? { notSent, prompt } : undefined;
}

/** Bounds of the tokens per byte in tool definitions. */
const MOST_TOKENS_PER_BYTE = 1 / 2;
const FEWEST_TOKENS_PER_BYTE = 1 / 6;

/**
 * Returns the request's own ratio. A ratio that text cannot have results from images, or from context that
 * the provider stores; then the lowest ratio of definitions is used.
 */
function tokensPerByte(inputTokens: TokenUsage['inputTokens'], promptBytes: number): number {
  const ratio = inputTokens / promptBytes;
  return ratio >= FEWEST_TOKENS_PER_BYTE && ratio <= MOST_TOKENS_PER_BYTE ? ratio : FEWEST_TOKENS_PER_BYTE;
}
