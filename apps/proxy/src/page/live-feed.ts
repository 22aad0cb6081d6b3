import type { ExchangeRecord } from '@winnow/contract';
import type { PriceTable } from '@winnow/prices';
import type { TimedFact } from '../records/timeline.ts';
import { type SearchedExchange, searchedOf } from './explain-search.ts';
import { LiveTally, type LiveTotals, savingsOf, type UpstreamState } from './live-totals.ts';
import { type ToolFate, toolFates } from './tool-fates.ts';

/** A record as the page shows it. */
export interface LiveExchange {
  readonly record: ExchangeRecord;
  /** What deferring is estimated to have saved; undefined where there is no estimate. */
  readonly saved: number | undefined;
  /** Whether more can be told than the record says. */
  readonly hasDetails: boolean;
}

/** What is known of an exchange beside its record. */
export interface LiveDetails {
  readonly tools: readonly ToolFate[] | undefined;
  /** Undefined when it had no searches, or they are no longer held. */
  readonly searched: SearchedExchange | undefined;
}

/** Somebody who watches, until he leaves. */
export interface LiveView {
  /** The exchanges since the last call, the oldest first, of the last 200; at first the ones that are held. */
  next(): readonly LiveExchange[];
  leave(): void;
}

/** Records that are held: as many as somebody scrolls through. */
const MOST_RECORDS = 200;
/** Exchanges whose tools are held, and those among them whose searches can be explained: these hold definitions. */
const MOST_DETAILS = 100;
const MOST_SEARCHED = 10;

/**
 * The last exchanges, for those who watch.
 *
 * Costs an exchange a place in a ring and a few additions, also while somebody watches: who does asks for what is new. What is known of its tools
 * is worked out and held only while somebody watches.
 */
export class LiveFeed {
  readonly #tally: LiveTally;
  readonly #prices: PriceTable;
  readonly #alwaysKeep: readonly string[];
  readonly #records: (ExchangeRecord | undefined)[] = new Array(MOST_RECORDS);
  readonly #details = new Map<string, { tools: LiveDetails['tools']; searched: LiveDetails['searched'] }>();
  /** Of those details that hold what was searched, the oldest first. */
  readonly #searched: { searched: LiveDetails['searched'] }[] = [];
  readonly #views = new Set<LiveView>();
  #count = 0;

  /** `since` is the start, in milliseconds since the epoch. */
  constructor(options: {
    readonly prices: PriceTable;
    readonly alwaysKeep: readonly string[];
    readonly since: number;
  }) {
    this.#prices = options.prices;
    this.#alwaysKeep = options.alwaysKeep;
    this.#tally = new LiveTally(options.prices, options.since);
  }

  /** Whether what is told of an exchange is worth keeping. */
  get isWatched(): boolean {
    return this.#views.size > 0;
  }

  get watchers(): number {
    return this.#views.size;
  }

  /** Takes the record of an exchange that is over. */
  takeRecord(record: ExchangeRecord): void {
    this.#records[this.#count++ % MOST_RECORDS] = record;
    this.#tally.add(record);
  }

  /** Takes what an exchange was folded from, before its record; to be called while somebody watches. */
  takeFacts(requestId: string, facts: readonly TimedFact[]): void {
    const tools = toolFates(facts, this.#alwaysKeep);
    if (tools === undefined) return;
    const details = { tools, searched: searchedOf(facts) };
    this.#details.set(requestId, details);
    if (this.#details.size > MOST_DETAILS) this.#details.delete(this.#details.keys().next().value!);
    if (details.searched === undefined) return;
    this.#searched.push(details);
    if (this.#searched.length > MOST_SEARCHED) this.#searched.shift()!.searched = undefined;
  }

  /** Begins to watch. */
  watch(): LiveView {
    let seen = 0;
    const view: LiveView = {
      next: () => {
        const exchanges = this.#since(seen);
        seen = this.#count;
        return exchanges;
      },
      leave: () => void this.#views.delete(view),
    };
    this.#views.add(view);
    return view;
  }

  /** The exchanges that are held of those after the first `seen`. */
  #since(seen: number): LiveExchange[] {
    const first = Math.max(seen, this.#count - MOST_RECORDS);
    return Array.from({ length: this.#count - first }, (_, at) =>
      this.#show(this.#records[(first + at) % MOST_RECORDS]!),
    );
  }

  detailsOf(requestId: string): LiveDetails | undefined {
    return this.#details.get(requestId);
  }

  get totals(): LiveTotals {
    return this.#tally.totals;
  }

  get upstreams(): readonly UpstreamState[] {
    return this.#tally.upstreams;
  }

  #show(record: ExchangeRecord): LiveExchange {
    const estimate = savingsOf(record, this.#prices);
    return {
      record,
      saved: estimate?.ok === true ? estimate.saved : undefined,
      hasDetails: this.#details.has(record.requestId),
    };
  }
}
