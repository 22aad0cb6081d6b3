import type { ExchangeRecord, PriceTable } from '@winnow/core';
import {
  type ExchangeRow,
  type ExchangeTotals,
  rowOf,
  type SavedRange,
  savedBy,
  TotalsTally,
  type UpstreamState,
} from '@winnow/service';
import { rememberBy } from '@winnow/wire';
import type { TimedFact } from '../records/exchange-fact.ts';
import { type SearchedExchange, searchedOf } from './explain-search.ts';
import { type HeldFates, listFates, type ToolFate, toolFates } from './tool-fates.ts';

/** The details of an exchange beyond its row. */
export interface LiveDetails {
  readonly record: ExchangeRecord;
  readonly saved: SavedRange | undefined;
  /** Undefined if no plan was made, or they are no longer held. */
  readonly tools: readonly ToolFate[] | undefined;
  /** Undefined if the exchange had no searches, or they are no longer held. */
  readonly searched: SearchedExchange | undefined;
}

/** One watcher's view of the feed. */
export interface LiveView {
  /** Returns the rows since the last call, or since the view was opened, as JSON, oldest first. */
  next(): readonly string[];
  leave(): void;
}

/** The part of an exchange's details that only the latest ones keep. */
interface HeldDetails {
  readonly requestId: string;
  readonly fates: HeldFates;
  searched: SearchedExchange | undefined;
}

/** Number of rows held: a day of a busy team. A row takes about half a kilobyte. */
const MOST_ROWS = 10_000;
/** Number of records held in full. */
const MOST_RECORDS = 1_000;
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
 * An exchange costs a row in a ring and a few additions, watched or not: views pull new rows, and write them as
 * JSON. Tool definitions, which explaining a search needs, are held only while someone watches.
 */
export class LiveFeed {
  readonly #tally: TotalsTally;
  readonly #prices: PriceTable;
  /** Rows and records, each at its number modulo their maximum. */
  readonly #rows: ExchangeRow[] = [];
  readonly #records: Pick<LiveDetails, 'record' | 'saved'>[] = [];
  /** Oldest first; then those among them that hold searches. */
  readonly #details: HeldDetails[] = [];
  readonly #searched: HeldDetails[] = [];
  readonly #views = new Set<LiveView>();
  #count = 0;
  #heldTools = 0;

  /** Creates the feed. `since` is the start, in milliseconds since the epoch. */
  constructor(options: { readonly prices: PriceTable; readonly since: number }) {
    this.#prices = options.prices;
    this.#tally = new TotalsTally(options.prices, options.since);
  }

  get watchers(): number {
    return this.#views.size;
  }

  /** Adds the record of a finished exchange. */
  takeRecord(record: ExchangeRecord): void {
    const saved = savedBy(record, this.#prices);
    const n = this.#count++;
    this.#rows[n % MOST_ROWS] = rowOf(record, { n, saved, prices: this.#prices });
    this.#records[n % MOST_RECORDS] = { record, saved };
    this.#tally.add(record, saved);
  }

  /** Adds the facts of an exchange, before its record. */
  takeFacts(requestId: string, facts: readonly TimedFact[]): void {
    const fates = toolFates(facts);
    if (fates === undefined || charsOf(fates.unloaded) > MOST_NAME_CHARS) return;
    const details = { requestId, fates, searched: this.watchers === 0 ? undefined : searchedOf(facts) };
    this.#details.push(details);
    this.#heldTools += fates.unloaded.length;
    while (this.#details.length > MOST_DETAILS || this.#heldTools > MOST_HELD_TOOLS)
      this.#heldTools -= this.#details.shift()!.fates.unloaded.length;
    if (details.searched === undefined) return;
    this.#searched.push(details);
    if (this.#searched.length > MOST_SEARCHED) this.#searched.shift()!.searched = undefined;
  }

  /** Opens a view. */
  watch(): LiveView {
    let seen = this.#count;
    const view: LiveView = {
      next: () => {
        const rows = this.#since(seen);
        seen = this.#count;
        return rows;
      },
      leave: () => void this.#views.delete(view),
    };
    this.#views.add(view);
    return view;
  }

  /** All rows held, as JSON, oldest first. */
  get rows(): readonly string[] {
    return this.#since(0);
  }

  /** Returns the held rows from this number on. */
  #since(number: number): string[] {
    const first = Math.max(number, this.#count - MOST_ROWS);
    return Array.from({ length: this.#count - first }, (_, at) =>
      JSON.stringify(this.#rows[(first + at) % MOST_ROWS]),
    );
  }

  /** Returns what is held of an exchange beyond its row. */
  detailsOf(requestId: string): LiveDetails | undefined {
    const held = this.#records.find(({ record }) => record.requestId === requestId);
    const details = this.#details.find((one) => one.requestId === requestId);
    return held && { ...held, tools: details && listFates(details.fates), searched: details?.searched };
  }

  get totals(): ExchangeTotals {
    return this.#tally.totals;
  }

  get upstreams(): readonly UpstreamState[] {
    return this.#tally.upstreams;
  }
}

/** Returns the length of all names; most exchanges have the same list as the one before. */
const charsOf = rememberBy((tools: readonly ToolFate[]): number =>
  tools.reduce((chars, { name }) => chars + name.length, 0),
);
