import {
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
import type { Registries } from '../registries.ts';
import { RegistryError } from '../registry-error.ts';
import { VERSION } from '../version.ts';
import { CallStatistics } from './call-statistics.ts';

/** Parts of {@link FrontDoors}. */
export interface FrontDoorsParts {
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
  readonly #doors = new Set<HttpDoor>();

  constructor(parts: FrontDoorsParts) {
    this.#parts = parts;
  }

  /** Calls of tools that are running. */
  get running(): number {
    return this.#parts.calls.taken;
  }

  /** Streams of notifications that are open. */
  get subscriptions(): number {
    return [...this.#doors].reduce((sum, door) => sum + door.subscriptions, 0);
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
      this.#doors.delete(door);
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
    this.#doors.add(door);
    return { door, stopWatching };
  }
}
