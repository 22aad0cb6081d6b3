import type { ExchangeRecord, PriceTable } from '@winnow/core';
import {
  type ExchangeTotals,
  GatheredText,
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

/** Number of records held: a day of a busy team. A record takes less than a kilobyte. */
const MOST_RECORDS = 10_000;
/** Number of records in one block of bytes. */
const BLOCK_RECORDS = 64;
const BLOCKS = Math.ceil(MOST_RECORDS / BLOCK_RECORDS) + 1;
/** The usual size of a block in bytes. */
const BLOCK_BYTES = 64 * 1024;
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
 * An exchange costs a few additions and the bytes of its record, outside the garbage collector's reach: thousands of
 * held objects would cost each collection more than the requests between two of them. Rows are made when a view asks.
 * Tool definitions, which explaining a search needs, are held only while someone watches.
 */
export class LiveFeed {
  readonly #tally: TotalsTally;
  readonly #prices: PriceTable;
  /** The lines of full blocks, each at its number modulo their maximum, and those of the newest block. */
  readonly #blocks: Buffer[] = [];
  readonly #newest = new GatheredText(BLOCK_BYTES);
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

  /** Adds the record of a finished exchange, with its line. */
  takeRecord(record: ExchangeRecord, line: string): void {
    this.#tally.add(record, savedBy(record, this.#prices));
    this.#newest.add(line);
    if (++this.#count % BLOCK_RECORDS !== 0) return;
    const at = (this.#count / BLOCK_RECORDS - 1) % BLOCKS;
    const lines = this.#newest.take();
    this.#blocks[at] = copyInto(this.#blocks[at], lines);
    this.#newest.release(lines);
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
        const rows = [...this.#since(seen)];
        seen = this.#count;
        return rows;
      },
      leave: () => void this.#views.delete(view),
    };
    this.#views.add(view);
    return view;
  }

  /** All rows held, as JSON, oldest first; each is made when it is asked for. */
  get rows(): Iterable<string> {
    return this.#since(0);
  }

  /** Returns the held rows from this number on. */
  *#since(number: number): Generator<string, void> {
    const last = this.#count;
    for (let n = number; n < last; ) {
      // More may have come since the last row was taken.
      n = Math.max(n, this.#count - MOST_RECORDS);
      const lines = this.#linesOf(n);
      const end = Math.min(last, n - (n % BLOCK_RECORDS) + BLOCK_RECORDS);
      for (; n < end; n++) {
        const record = JSON.parse(lines[n % BLOCK_RECORDS]!) as ExchangeRecord;
        const saved = savedBy(record, this.#prices);
        yield JSON.stringify(rowOf(record, { n, saved, prices: this.#prices }));
      }
    }
  }

  /** Returns the lines of the block of a record. */
  #linesOf(number: number): string[] {
    const block = Math.floor(number / BLOCK_RECORDS);
    const isNewest = block === Math.floor(this.#count / BLOCK_RECORDS);
    return (isNewest ? this.#newest : this.#blocks[block % BLOCKS]!).toString().split('\n');
  }

  /** Returns what is held of an exchange beyond its row. */
  detailsOf(requestId: string): LiveDetails | undefined {
    const record = this.#recordOf(requestId);
    if (record === undefined) return undefined;
    const details = this.#details.find((one) => one.requestId === requestId);
    const tools = details && listFates(details.fates);
    return { record, saved: savedBy(record, this.#prices), tools, searched: details?.searched };
  }

  #recordOf(requestId: string): ExchangeRecord | undefined {
    const part = `"requestId":${JSON.stringify(requestId)}`;
    const block = this.#blocks.find((lines) => lines.includes(part)) ?? this.#newest;
    const line = block
      .toString()
      .split('\n')
      .find((one) => one.includes(part));
    return line === undefined ? undefined : (JSON.parse(line) as ExchangeRecord);
  }

  get totals(): ExchangeTotals {
    return this.#tally.totals;
  }

  get upstreams(): readonly UpstreamState[] {
    return this.#tally.upstreams;
  }
}

/** Copies bytes into the memory of a block that is not needed any more, if they fit; otherwise into new memory. */
function copyInto(block: Buffer | undefined, bytes: Buffer): Buffer {
  const known = block === undefined ? NOTHING : Buffer.from(block.buffer);
  const isFitting = known.length >= bytes.length && known.length <= 2 * bytes.length;
  const room = isFitting ? known : Buffer.allocUnsafeSlow(Math.ceil(ROOM * bytes.length));
  return room.subarray(0, bytes.copy(room));
}

const NOTHING = Buffer.alloc(0);

/** Memory of a new block, as a multiple of its bytes: later ones are a little longer or shorter. */
const ROOM = 1.1;

/** Returns the length of all names; most exchanges have the same list as the one before. */
const charsOf = rememberBy((tools: readonly ToolFate[]): number =>
  tools.reduce((chars, { name }) => chars + name.length, 0),
);
