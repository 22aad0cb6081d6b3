import {
  estimateSavings,
  exchangeCost,
  hasSavings,
  type PriceTable,
  priceOf,
  type StoredRecord,
} from '@winnow/core';
import {
  type ClusterMean,
  meanDifferenceInterval,
  type StratifiedCluster,
  stratifiedMean,
  totalsOf,
} from '../counting/means.ts';
import type { Interval } from '../counting/rate.ts';
import { SessionSample } from '../counting/session-sample.ts';
import { CountsTally, isGood } from '../counting/tallies.ts';
import { TopNames } from '../counting/top-names.ts';

/** The cost of one arm of `partial`, by list prices. */
export interface ArmCost {
  /** Exchanges of the sessions that were drawn for this arm. */
  readonly exchanges: number;
  /** Exchanges that could be priced. */
  readonly priced: number;
  /** Sessions of the priced exchanges. */
  readonly sessions: number;
  /** Per priced exchange. */
  readonly mean: number;
}

/** The two arms of `partial` side by side. */
export interface MeasuredCost {
  readonly full: ArmCost;
  readonly shadow: ArmCost;
  /** Mean of `full` less mean of `shadow`: negative where deferring is cheaper. */
  readonly difference: number;
  /** The 95 % confidence interval of the difference; absent with too few sessions. */
  readonly interval?: Interval;
  /** Whether both arms were compared as if they had met a warm cache equally often: the smaller arm keeps its own prompts warm less often. */
  readonly isEquallyWarm: boolean;
  /**
   * False if one arm could be priced much more often than the other: the missing exchanges may be the expensive
   * ones.
   */
  readonly isFair: boolean;
}

/** The reason why an exchange is in no amount. */
type LeftOut = Exclude<ReturnType<typeof estimateSavings>, { ok: true }>['reason'];

/** The money that deferring has saved. */
export type Money = ReturnType<MoneyTally['result']>;

/** The largest difference between the arms' shares of priced exchanges that still makes a fair comparison. */
const FAIR_GAP = 0.1;

const AMOUNTS = ['notSent', 'extraRounds', 'cacheLost', 'saved', 'spent'] as const;

const noneExpected = () => ({ exchanges: 0, freedTokens: 0, bill: 0 });

const noSavings = () => ({ notSent: 0, extraRounds: 0, cacheLost: 0, saved: 0, spent: 0 });

/** Gathers `Money`, by a table of prices. */
export class MoneyTally {
  readonly #prices: PriceTable;
  readonly #full = new ArmTally();
  readonly #shadow = new ArmTally();
  readonly #leftOut = new CountsTally<LeftOut>();
  readonly #known = new TopNames();
  readonly #unknown = new TopNames();
  readonly #decided = { deferred: noneExpected(), leftAlone: noneExpected() };
  readonly #low = noSavings();
  readonly #high = noSavings();
  #exchanges = 0;

  constructor(prices: PriceTable) {
    this.#prices = prices;
  }

  add(record: StoredRecord): void {
    this.#addModel(record);
    const { armReason } = record;
    // Agents that are left alone in both arms cost the same in both, and are priced in only one.
    const isCompared = record.planReason !== 'few_savings';
    if (isCompared && armReason === 'inside_percent') this.#full.add(record, this.#prices);
    if (isCompared && armReason === 'outside_percent') this.#shadow.add(record, this.#prices);
    this.#addExpected(record);
    if (hasSavings(record) && isGood(record)) this.#estimate(record);
  }

  result() {
    const measured = compare(this.#full.result(), this.#shadow.result());
    return {
      /** An ISO 4217 code. */
      currency: this.#prices.currency,
      /** Absent unless both arms of `partial` have a priced exchange. */
      ...(measured && { measured }),
      /**
       * Over the exchanges of arm `full` that deferred, or went back to passing, and ended with a 2xx response: `low` if the cache favours direct requests as far
       * as the records allow, `high` if it favours deferring.
       */
      estimated: {
        exchanges: this.#exchanges,
        low: this.#low,
        high: this.#high,
        leftOut: this.#leftOut.result(),
      },
      /** Exchanges of arm `full` whose agent's bill decided, with the sums of what deferring was expected to free and to cost. */
      decided: this.#decided,
      /** Models of exchanges with reported tokens, by whether the table has their price. */
      pricedModels: this.#known.result(MOST_MODELS),
      unknownModels: this.#unknown.result(MOST_MODELS),
    };
  }

  #addExpected({ arm, planReason, expected }: StoredRecord): void {
    if (arm !== 'full' || expected === undefined) return;
    const sums = planReason === 'few_savings' ? this.#decided.leftAlone : this.#decided.deferred;
    sums.exchanges++;
    sums.freedTokens += expected.freedTokens;
    sums.bill += expected.bill;
  }

  #addModel({ model, usage }: StoredRecord): void {
    if (usage === undefined) return;
    const isKnown = priceOf(this.#prices, model) !== undefined;
    (isKnown ? this.#known : this.#unknown).add(model ?? '(none)');
  }

  #estimate(record: StoredRecord): void {
    const estimate = estimateSavings(record, this.#prices);
    if (!estimate.ok) {
      this.#leftOut.add(estimate.reason);
      return;
    }
    this.#exchanges++;
    for (const amount of AMOUNTS) {
      this.#low[amount] += estimate.low[amount];
      this.#high[amount] += estimate.high[amount];
    }
  }
}

const MOST_MODELS = 15;

/**
 * Strata of exchanges: those that follow another of the same agent and arm within the lifetime that every
 * provider grants its cache, other ones, and those without this information.
 */
const STRATA = ['warm', 'cold', 'unknown'] as const;
const CACHE_MS = 5 * 60_000;

function stratumOf({ agent }: StoredRecord): number {
  if (agent === undefined) return STRATA.indexOf('unknown');
  const isWarm = agent.idleMs !== undefined && agent.idleMs <= CACHE_MS;
  return STRATA.indexOf(isWarm ? 'warm' : 'cold');
}

/** One arm of `partial`, by session: chance has drawn sessions, not exchanges. */
class ArmTally {
  readonly #sample = new SessionSample(() => STRATA.map(() => ({ sum: 0, items: 0 })));
  #exchanges = 0;
  #priced = 0;

  add(record: StoredRecord, prices: PriceTable): void {
    this.#exchanges++;
    const cost = exchangeCost(record, prices);
    if (!cost.ok) return;
    this.#priced++;
    const entry = record.session === undefined ? undefined : this.#sample.entryOf(record.session);
    const stratum = entry?.[stratumOf(record)];
    if (stratum === undefined) return;
    stratum.sum += cost.amount;
    stratum.items++;
  }

  result() {
    const clusters: readonly StratifiedCluster[] = [...this.#sample.entries];
    return { exchanges: this.#exchanges, priced: this.#priced, clusters };
  }
}

type ArmResult = ReturnType<ArmTally['result']>;

function compare(full: ArmResult, shadow: ArmResult): MeasuredCost | undefined {
  const shares = sharesOf(full.clusters, shadow.clusters);
  const [left, right] = [full, shadow].map(({ clusters }) => stratifiedMean(clusters, shares));
  if (left === undefined || right === undefined) return undefined;
  const interval = meanDifferenceInterval(left, right);
  const gap = full.priced / full.exchanges - shadow.priced / shadow.exchanges;
  return {
    full: armCost(full, left),
    shadow: armCost(shadow, right),
    difference: left.mean - right.mean,
    ...(interval && { interval }),
    isEquallyWarm: shares[STRATA.indexOf('unknown')] === 0,
    isFair: Math.abs(gap) <= FAIR_GAP,
  };
}

/** Returns the share of each stratum in both arms together; 0 for one that an arm lacks. */
function sharesOf(full: readonly StratifiedCluster[], shadow: readonly StratifiedCluster[]): number[] {
  const [one, other] = [totalsOf(full, STRATA.length), totalsOf(shadow, STRATA.length)];
  const both = one.map(({ items }, at) => (items > 0 && other[at]!.items > 0 ? items + other[at]!.items : 0));
  const all = both.reduce((sum, items) => sum + items, 0);
  return both.map((items) => (all === 0 ? 0 : items / all));
}

function armCost({ exchanges, priced }: ArmResult, { clusters, mean }: ClusterMean): ArmCost {
  return { exchanges, priced, sessions: clusters, mean };
}
