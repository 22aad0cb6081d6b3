import type { Writable } from 'node:stream';
import {
  type CallOutcome,
  type CallRecord,
  type DispatchMode,
  FrontDoor,
  type HttpDoor,
  type McpServers,
  openHttpDoor,
  watchList,
} from '@winnow/mcp';
import type { SearchPage } from '@winnow/registry';
import type { Shares } from '@winnow/service';
import type { Caller } from '../http/callers.ts';
import type { Registries } from '../http/registry-route.ts';
import { RegistryError } from '../registry-error.ts';
import { VERSION } from '../version.ts';

/** Statistics of the calls of one tool, on this instance since it started. */
interface ToolCallStatistics {
  readonly calls: number;
  readonly outcomes: Readonly<Partial<Record<CallOutcome, number>>>;
  readonly totalMs: number;
  readonly maxMs: number;
  /** Characters of results as JSON. */
  readonly resultChars: number;
}

/** Most counted tools; the most recently called ones are kept. */
const MAX_TOOLS = 10_000;

const NONE: ToolCallStatistics = { calls: 0, outcomes: {}, totalMs: 0, maxMs: 0, resultChars: 0 };

/** Counts calls by tool, in bounded memory. Holds no argument and no result. */
class CallStatistics {
  /** In the order in which they were called last. */
  readonly #byId = new Map<string, ToolCallStatistics>();

  count({ id, outcome, durationMs, resultChars }: CallRecord): void {
    if (id === undefined) return;
    const before = this.#byId.get(id) ?? NONE;
    this.#byId.delete(id);
    this.#byId.set(id, {
      calls: before.calls + 1,
      outcomes: { ...before.outcomes, [outcome]: (before.outcomes[outcome] ?? 0) + 1 },
      totalMs: before.totalMs + durationMs,
      maxMs: Math.max(before.maxMs, durationMs),
      resultChars: before.resultChars + resultChars,
    });
    if (this.#byId.size > MAX_TOOLS) this.#byId.delete(this.#byId.keys().next().value!);
  }

  /** All of them, the most called first, then by id. */
  all(): readonly (readonly [id: string, ToolCallStatistics])[] {
    return [...this.#byId].sort(([a, left], [b, right]) => right.calls - left.calls || (a < b ? -1 : 1));
  }
}

/** The part of a response that waits for its client. */
type WaitingResponse = Pick<Writable, 'writableLength' | 'destroyed' | 'destroy' | 'once' | 'off'>;

/** Events that end a wait. A completely written response does not drain: it finishes, or its client leaves. */
const ENDS = ['drain', 'finish', 'close'] as const;

/**
 * Responses that wait for clients that read slowly, or not at all: together they hold so many bytes at most. Where they would hold more, those
 * that have waited longest are cut off; the one that was written to last never is, so that one result may be larger than that by itself.
 */
export class SlowReaders {
  readonly #mostBytes: number;
  readonly #onLost: (waitingBytes: number) => void;
  /** In the order in which they began to wait. */
  readonly #waiting = new Set<WaitingResponse>();

  /** `onLost` receives each reader that is cut off, with the bytes that waited for it. */
  constructor(mostBytes: number, onLost: (waitingBytes: number) => void = () => {}) {
    this.#mostBytes = mostBytes;
    this.#onLost = onLost;
  }

  /** Responses that wait. */
  get count(): number {
    return this.#waiting.size;
  }

  /** Bytes that wait. */
  get bytes(): number {
    let bytes = 0;
    for (const { writableLength } of this.#waiting) bytes += writableLength;
    return bytes;
  }

  /** Takes note of a response whose client has not taken all that was written to it. */
  note(response: WaitingResponse): void {
    if (!this.#waiting.has(response)) this.#add(response);
    let { bytes } = this;
    for (const one of this.#waiting) {
      if (bytes <= this.#mostBytes) return;
      if (one === response) continue;
      bytes -= one.writableLength;
      this.cutOff(one);
    }
  }

  /** Gives up a response whose client does not read it; nothing happens where it is over already. */
  cutOff(response: WaitingResponse): void {
    if (response.destroyed) return;
    this.#waiting.delete(response);
    this.#onLost(response.writableLength);
    response.destroy();
  }

  #add(response: WaitingResponse): void {
    this.#waiting.add(response);
    const forget = () => {
      this.#waiting.delete(response);
      for (const end of ENDS) response.off(end, forget);
    };
    for (const end of ENDS) response.once(end, forget);
  }
}

/** Parts of {@link FrontDoors}. */
interface FrontDoorsParts {
  readonly registries: Registries;
  /** Whether a caller's token is still accepted. */
  readonly admits: (caller: Caller) => boolean;
  /** The MCP servers of a tenant. */
  readonly serversOf: (tenant: string) => McpServers;
  readonly dispatch: DispatchMode;
  /** The calls of tools that run at once: each caller has its share of them. */
  readonly calls: Shares;
  /** Most streams of notifications at once, of one caller. */
  readonly maxSubscriptions: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  readonly makeId: () => string;
  /** Calls once after a delay, unless the returned function is called first. */
  readonly after: (delayMs: number, call: () => void) => () => void;
  readonly onCall: (caller: Caller, record: CallRecord) => void;
  /** Receives internal errors. */
  readonly onDefect: (error: unknown) => void;
  readonly onSearch: (page: SearchPage, durationMs: number) => void;
}

/** The tools that a door allows: all that its caller may call, or only read-only ones. */
export type DoorAccess = 'all' | 'reads';

/** An opened door, with the watch on its list. */
interface Opened {
  readonly door: HttpDoor;
  readonly stopWatching: () => void;
}

/** The front doors of all callers; each is limited to the sight of its token. */
export class FrontDoors {
  readonly #parts: FrontDoorsParts;
  readonly #statistics = new Map<string, CallStatistics>();
  /** A caller is one object for as long as its token is accepted. */
  readonly #opened = { all: new Map<Caller, Promise<Opened>>(), reads: new Map<Caller, Promise<Opened>>() };

  constructor(parts: FrontDoorsParts) {
    this.#parts = parts;
  }

  /** Returns the call statistics of a tenant. */
  statisticsOf(tenant: string): CallStatistics {
    const known = this.#statistics.get(tenant);
    if (known !== undefined) return known;
    const statistics = new CallStatistics();
    this.#statistics.set(tenant, statistics);
    return statistics;
  }

  /**
   * Returns a caller's front door, to all tools or only to read-only ones. Rejects if its token was withdrawn
   * since the request began, or if the vendor's package is not installed, with the command that installs it.
   */
  async of(caller: Caller, access: DoorAccess): Promise<HttpDoor> {
    if (!this.#parts.admits(caller)) {
      throw new RegistryError('unauthorized', 'This token is no longer accepted.', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    const opened = this.#opened[access];
    const known = opened.get(caller);
    if (known !== undefined) return (await known).door;
    const opening = this.#open(caller, access);
    opened.set(caller, opening);
    try {
      return (await opening).door;
    } catch (error) {
      opened.delete(caller);
      throw error;
    }
  }

  /** Ends the streams and calls of a caller. */
  async leave(caller: Caller): Promise<void> {
    const { all, reads } = this.#opened;
    await this.#end([all, reads].flatMap((opened) => opened.get(caller) ?? []));
    for (const opened of [all, reads]) opened.delete(caller);
  }

  /** Ends every stream and call. */
  async close(): Promise<void> {
    await this.#end([...this.#opened.all.values(), ...this.#opened.reads.values()]);
  }

  async #end(opened: readonly Promise<Opened>[]): Promise<void> {
    for (const one of await Promise.allSettled(opened)) {
      if (one.status === 'rejected') continue;
      const { door, stopWatching } = one.value;
      stopWatching();
      await door.close();
    }
  }

  async #open(caller: Caller, access: DoorAccess): Promise<Opened> {
    const { registries, serversOf, dispatch, now, wallClock, onSearch, onCall } = this.#parts;
    const { calls, makeId, maxSubscriptions, onDefect, after } = this.#parts;
    const registry = registries.of(caller);
    const frontDoor = new FrontDoor({
      registry,
      servers: serversOf(caller.tenant),
      caller: caller.name,
      dispatch,
      readsOnly: access === 'reads',
      slots: calls.of(caller),
      now,
      wallClock,
      onSearch,
      onCall: (record) => {
        this.statisticsOf(caller.tenant).count(record);
        onCall(caller, record);
      },
    });
    const door = await openHttpDoor({
      door: frontDoor,
      identity: { name: 'winnow-registry', version: VERSION },
      makeId,
      maxSubscriptions,
      onDefect,
    });
    const stopWatching = watchList({
      registry,
      listTools: () => frontDoor.listTools(),
      isWanted: () => door.subscriptions > 0,
      onListChanged: () => door.notifyListChanged(),
      after,
    });
    return { door, stopWatching };
  }
}
