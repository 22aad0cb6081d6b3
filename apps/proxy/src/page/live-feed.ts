import type { ExchangeRecord } from '@winnow/contract';
import type { PriceTable } from '@winnow/prices';
import { rememberBy } from '@winnow/wire';
import type { TimedFact } from '../records/timeline.ts';
import { type SearchedExchange, searchedOf } from './explain-search.ts';
import { LiveTally, type LiveTotals, type SavedRange, savedBy, type UpstreamState } from './live-totals.ts';
import { type ToolFate, toolFates } from './tool-fates.ts';

/** A record as shown on the page. */
export interface LiveExchange {
  readonly record: ExchangeRecord;
  /** Estimated savings of deferring; undefined without an estimate. */
  readonly saved: SavedRange | undefined;
  /** Whether details beyond the record are available. */
  readonly hasDetails: boolean;
}

/** Details of an exchange beyond its record. */
export interface LiveDetails {
  readonly tools: readonly ToolFate[] | undefined;
  /** Undefined if the exchange had no searches, or they are no longer held. */
  readonly searched: SearchedExchange | undefined;
}

/** One watcher's view of the feed. */
export interface LiveView {
  /**
   * Returns the exchanges since the last call, oldest first, among the last 200; the first call returns all
   * that are held.
   */
  next(): readonly LiveExchange[];
  leave(): void;
}

/** Number of records held: about as many as a reader scrolls through. */
const MOST_RECORDS = 200;
/** Number of exchanges whose tools are held, and of all their tools together. */
const MOST_DETAILS = 100;
const MOST_HELD_TOOLS = 50_000;
/** Maximum number of characters of the names of one exchange; a longer list is not held. */
const MOST_NAME_CHARS = 200_000;
/** Number of exchanges whose searches can be explained; these hold tool definitions. */
const MOST_SEARCHED = 10;

/**
 * The latest exchanges, for watchers of the page.
 *
 * An exchange costs a slot in a ring, the names of its tools and a few additions, watched or not: views pull
 * new exchanges. Tool definitions, which explaining a search needs, are held only while someone watches.
 */
export class LiveFeed {
  readonly #tally: LiveTally;
  readonly #prices: PriceTable;
  readonly #alwaysKeep: readonly string[];
  readonly #records: (ExchangeRecord | undefined)[] = new Array(MOST_RECORDS);
  readonly #details = new Map<string, { tools: LiveDetails['tools']; searched: LiveDetails['searched'] }>();
  /** The entries of `#details` that hold searches, oldest first. */
  readonly #searched: { searched: LiveDetails['searched'] }[] = [];
  readonly #views = new Set<LiveView>();
  #count = 0;
  #heldTools = 0;

  /** Creates the feed. `since` is the start, in milliseconds since the epoch. */
  constructor(options: {
    readonly prices: PriceTable;
    readonly alwaysKeep: readonly string[];
    readonly since: number;
  }) {
    this.#prices = options.prices;
    this.#alwaysKeep = options.alwaysKeep;
    this.#tally = new LiveTally(options.prices, options.since);
  }

  get watchers(): number {
    return this.#views.size;
  }

  /** Adds the record of a finished exchange. */
  takeRecord(record: ExchangeRecord): void {
    this.#records[this.#count++ % MOST_RECORDS] = record;
    this.#tally.add(record);
  }

  /** Adds the facts of an exchange, before its record. */
  takeFacts(requestId: string, facts: readonly TimedFact[]): void {
    const tools = toolFates(facts, this.#alwaysKeep);
    if (tools === undefined || charsOf(tools) > MOST_NAME_CHARS) return;
    const details = { tools, searched: this.watchers === 0 ? undefined : searchedOf(facts) };
    this.#details.set(requestId, details);
    this.#heldTools += tools.length;
    while (this.#details.size > MOST_DETAILS || this.#heldTools > MOST_HELD_TOOLS) this.#forgetOldest();
    if (details.searched === undefined) return;
    this.#searched.push(details);
    if (this.#searched.length > MOST_SEARCHED) this.#searched.shift()!.searched = undefined;
  }

  #forgetOldest(): void {
    const [requestId, { tools = [] }] = this.#details.entries().next().value!;
    this.#details.delete(requestId);
    this.#heldTools -= tools.length;
  }

  /** Opens a view. */
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

  /** Returns the held exchanges after the first `seen`. */
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
    return {
      record,
      saved: savedBy(record, this.#prices),
      hasDetails: this.#details.has(record.requestId),
    };
  }
}

/** Returns the length of all names; most exchanges have the same list as the one before. */
const charsOf = rememberBy((tools: readonly ToolFate[]): number =>
  tools.reduce((chars, { name }) => chars + name.length, 0),
);
