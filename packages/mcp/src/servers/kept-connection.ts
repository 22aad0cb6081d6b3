import { boundWork, orAborted } from './bound-wait.ts';
import { CallProblem, FAILURES, failureOf, ServerProblem } from './failures.ts';
import type { After } from './process-group.ts';
import type { ServerConnection, ServerEffects } from './server-connection.ts';
import type { ServerEntry } from './server-entry.ts';

/** Parts of a {@link KeptConnection}. */
interface KeptConnectionParts extends Pick<ServerEffects, 'connector' | 'after' | 'now'> {
  readonly entry: ServerEntry;
  /** Aborts when the server is no longer kept. */
  readonly ending: AbortSignal;
  /** The server reported a changed list. */
  readonly onNotice: () => void;
  /** The connection broke by itself. */
  readonly onLost: (reason: string) => void;
}

/**
 * The connection of one server: opened when it is needed, and again after it was lost or dropped.
 *
 * Contract: there is one at a time, and callers wait for a connection that is being opened.
 */
export class KeptConnection {
  readonly #parts: KeptConnectionParts;
  #connection: ServerConnection | undefined;
  #connecting: Promise<ServerConnection> | undefined;
  /** Pending openings, wanted or not, whose processes must end with this one. */
  readonly #openings = new Set<Promise<void>>();
  #connectedAt = 0;
  #seen: Pick<ServerConnection, 'era' | 'protocolVersion'> | undefined;

  constructor(parts: KeptConnectionParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#connection !== undefined;
  }

  /** The protocol agreed on with the server when it was last reached. */
  get seen(): Pick<ServerConnection, 'era' | 'protocolVersion'> | undefined {
    return this.#seen;
  }

  /** Age of the newest connection, in milliseconds. */
  get ageMs(): number {
    return this.#parts.now() - this.#connectedAt;
  }

  /** Rejects with a `ServerProblem`. */
  open(): Promise<ServerConnection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /**
   * Runs a request on the connection. If the connection cannot carry it any more, replaces the connection and runs it once
   * more: see {@link FAILURES}. Rejects as the request does, or with a `ServerProblem`.
   */
  async use<Result>(
    request: (connection: ServerConnection) => Promise<Result>,
    { onlyReads = false, signal }: { readonly onlyReads?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<Result> {
    const connection = await this.open();
    try {
      return await request(connection);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      const { changes, repeat } = FAILURES[failure];
      if (changes === 'connection') await this.#replace(connection);
      const isRepeated = repeat === 'always' || (repeat === 'reads' && onlyReads);
      if (!isRepeated || signal?.aborted || this.#parts.ending.aborted) throw error;
    }
    return request(await this.open());
  }

  /** Closes a connection that is of no use; requests of others may have replaced it already. */
  async #replace(connection: ServerConnection): Promise<void> {
    if (this.#connection === connection) this.#connection = undefined;
    await connection.close().catch(() => {});
  }

  /** Closes the connection; the next `open` makes another. */
  async drop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(() => {});
  }

  /** Resolves when nothing is open or being opened. */
  async close(): Promise<void> {
    await Promise.all(this.#openings);
    await this.drop();
  }

  async #open(): Promise<ServerConnection> {
    const { entry, connector, after, now, ending, onNotice, onLost } = this.#parts;
    const { timeouts } = entry;
    const work = boundWork(after, timeouts.connectMs, ending);
    let connection: ServerConnection | undefined;
    let isLost = false;
    const events = {
      onListChanged: onNotice,
      onLost: (reason: string) => {
        isLost = true;
        if (connection === undefined || this.#connection !== connection) return;
        this.#connection = undefined;
        onLost(reason);
      },
    };
    try {
      const opening = connector.connect(entry, events, work.signal);
      this.#watchOver(opening, work.signal);
      connection = await orAborted(opening, work.signal);
      if (isLost) throw new ServerProblem('unreachable', 'The connection was closed.');
      this.#connection = connection;
      this.#connectedAt = now();
      this.#seen = { era: connection.era, protocolVersion: connection.protocolVersion };
      return connection;
    } catch (error) {
      if (work.isLate())
        throw new ServerProblem('timed_out', `It did not connect within ${timeouts.connectMs} ms.`);
      throw error;
    } finally {
      work.done();
    }
  }

  /** Closes a connection that opens after its caller has given up. */
  #watchOver(opening: Promise<ServerConnection>, signal: AbortSignal): void {
    const settled = opening
      .then((late) => (signal.aborted ? late.close() : undefined))
      .catch(() => {})
      .finally(() => this.#openings.delete(settled));
    this.#openings.add(settled);
  }
}

/** Parts of {@link HeldConnections}. */
interface HeldConnectionsParts {
  readonly server: string;
  /** Most connections at once. */
  readonly limit: number;
  /** Time without a call after which a connection ends. */
  readonly idleMs: number;
  readonly after: After;
  readonly create: () => KeptConnection;
}

interface Held {
  readonly connection: KeptConnection;
  /** Resolves when the connection whose place it takes has ended. */
  readonly ready: Promise<void>;
  calls: number;
  stopTimer: () => void;
}

/**
 * Connections of one server for callers who must not share its state: one for each holder, opened by its first
 * call.
 *
 * Contract: never more than the limit. If all are taken, the one that was idle longest ends for a new holder;
 * if none is idle, the call is rejected as `overloaded`.
 */
export class HeldConnections {
  readonly #parts: HeldConnectionsParts;
  /** The least recently used first. */
  readonly #held = new Map<string, Held>();
  readonly #ending = new Set<Promise<void>>();

  constructor(parts: HeldConnectionsParts) {
    this.#parts = parts;
  }

  /** Connections that are open. */
  get size(): number {
    return [...this.#held.values()].filter(({ connection }) => connection.isOpen).length;
  }

  /** Runs a call on the connection of a holder. Rejects with a `CallProblem`, a `ServerProblem`, or as the call does. */
  async run<Result>(
    holder: string,
    call: (connection: ServerConnection) => Promise<Result>,
    options?: Parameters<KeptConnection['use']>[1],
  ): Promise<Result> {
    const held = this.#take(holder);
    held.calls++;
    held.stopTimer();
    try {
      await held.ready;
      return await held.connection.use(call, options);
    } finally {
      held.calls--;
      if (held.calls === 0) {
        held.stopTimer = this.#parts.after(this.#parts.idleMs, () => void this.#end(holder, held));
      }
    }
  }

  /** Resolves when no connection is left. */
  async close(): Promise<void> {
    for (const [holder, held] of [...this.#held]) void this.#end(holder, held);
    await Promise.all(this.#ending);
  }

  #take(holder: string): Held {
    const held = this.#held.get(holder) ?? this.#create();
    this.#held.delete(holder);
    this.#held.set(holder, held);
    return held;
  }

  #create(): Held {
    const { create, limit, server } = this.#parts;
    let ready = Promise.resolve();
    if (this.#held.size >= limit) {
      const idle = [...this.#held].find(([, { calls }]) => calls === 0);
      if (idle === undefined) {
        const message = `The server "${server}" already has ${limit} callers at once. Try again in a moment.`;
        throw new CallProblem('overloaded', message);
      }
      ready = this.#end(...idle);
    }
    return { connection: create(), ready, calls: 0, stopTimer: () => {} };
  }

  #end(holder: string, { connection, stopTimer }: Held): Promise<void> {
    stopTimer();
    this.#held.delete(holder);
    const ending = connection.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return ending;
  }
}
