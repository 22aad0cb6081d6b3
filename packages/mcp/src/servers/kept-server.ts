import type { PendingDefinition } from '@winnow/registry';
import { CircuitBreaker } from '@winnow/service';
import { type BoundedWork, boundWork, orAborted } from './bound-wait.ts';
import { CallProblem } from './call-problem.ts';
import { writeHeaderParameters } from './header-parameters.ts';
import { ListProblem, listTools } from './list-tools.ts';
import type { CallOptions, CallResult } from './mcp-servers.ts';
import type { ServerConnection } from './server-connection.ts';
import { SERVER_TIMES, type ServerEffects } from './server-effects.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ServerNotes } from './server-notes.ts';
import { ServerProblem } from './server-problem.ts';
import type { ServerState, ServerStatus } from './server-state.ts';
import { type PreparedList, prepareList, type TakenList, takeOverList } from './take-over-list.ts';

/** What several servers share. */
export interface ServerSurroundings extends ServerEffects {
  readonly notes: ServerNotes;
  /** Runs work when it is its turn. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
}

/**
 * One server: its connection, when its list is read, what became of it, and calls.
 *
 * Contract: there is one attempt to read it at a time; who asks meanwhile shares the next one. What the registry holds of it changes only by a
 * list that was read to its end.
 */
export class KeptServer {
  readonly entry: ServerEntry;
  readonly #around: ServerSurroundings;
  readonly #breaker: CircuitBreaker;
  readonly #ending = new AbortController();
  #status: ServerStatus;
  #connection: ServerConnection | undefined;
  #connecting: Promise<ServerConnection> | undefined;
  /** What is being opened, wanted or not: its processes have to end with us. */
  readonly #openings = new Set<Promise<void>>();
  #connectedAt = 0;
  #seen: Pick<ServerConnection, 'era' | 'protocolVersion'> | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #cancelTimer = () => {};
  #cancelNotice: (() => void) | undefined;
  #failures = 0;
  /** Lists in a row that were told of as changed and were not. */
  #idleNotices = 0;
  #wasEmpty = false;
  #ttlMs: number | undefined;
  #prepared: PreparedList | undefined;
  #taken: Pick<TakenList, 'leftOut' | 'pending'> & { readonly diverged: readonly string[] } = NOTHING_TAKEN;
  #approved: ReadonlyMap<string, string> | undefined;
  #lastRefresh: number | undefined;
  #lastError: ServerState['lastError'];
  #staleSince: number | undefined;

  constructor(entry: ServerEntry, around: ServerSurroundings) {
    this.entry = entry;
    this.#around = around;
    this.#breaker = new CircuitBreaker({ ...SERVER_TIMES.breaker, now: around.now });
    this.#status = entry.isEnabled ? 'connecting' : 'disabled';
    this.#staleSince = around.notes.get(entry.name).staleSince;
  }

  get state(): ServerState {
    const { name, transport, namespace, trustsAnnotations, isPinned } = this.entry;
    return {
      name,
      transport: transport.type,
      status: this.#status,
      era: this.#seen?.era,
      protocolVersion: this.#seen?.protocolVersion,
      namespace,
      tools: this.#around.registry.idsOfServer(name).length,
      lastRefresh: this.#lastRefresh,
      lastError: this.#lastError,
      staleSince: this.#staleSince,
      trustsAnnotations,
      isPinned,
      leftOut: this.#taken.leftOut,
      pending: this.#taken.pending,
      diverged: this.#taken.diverged,
    };
  }

  get staleSince(): number | undefined {
    return this.#staleSince;
  }

  /** The server's own name of a stored one. */
  ownName(storedName: string): string {
    return this.#prepared?.ownNames.get(storedName) ?? storedName;
  }

  /** Begins to keep the server; waits for nothing. */
  start(): void {
    if (this.entry.isEnabled) void this.refresh().catch(() => {});
  }

  /** Reads the list anew. Settles with the first attempt that begins from now on; rejects with a `ServerProblem` when that fails. */
  refresh(): Promise<void> {
    if (!this.entry.isEnabled)
      return Promise.reject(new ServerProblem('unreachable', 'The server is disabled.'));
    if (this.#ending.signal.aborted) return Promise.reject(closed());
    if (this.#running === undefined) {
      this.#running = this.#attempt().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.refresh();
      });
    return this.#next;
  }

  /** Takes over definitions that wait: these, with the digests that somebody has looked at, or all. Gives the ids that were taken over. */
  async approve(wanted: ReadonlyMap<string, string | undefined> | undefined): Promise<readonly string[]> {
    const agreed = this.#taken.pending.filter(({ id, after }) => {
      const digest = wanted?.get(id);
      return wanted === undefined || (wanted.has(id) && (digest === undefined || digest === after));
    });
    const prepared = this.#prepared;
    if (agreed.length === 0 || prepared === undefined) return [];
    const approved = new Map([
      ...(this.#approved ?? []),
      ...agreed.map(({ name, after }) => [name, after] as const),
    ]);
    await this.#around.notes.writeApproved(this.entry.name, approved);
    this.#approved = approved;
    await this.#take(prepared);
    return agreed.map(({ id }) => id);
  }

  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<CallResult> {
    const { name, timeouts, isEnabled } = this.entry;
    if (!isEnabled) throw new CallProblem('unknown_server', `The server "${name}" is disabled.`);
    const { signal, timeoutMs = timeouts.callMs, onProgress, ...rest } = options;
    if (this.#ending.signal.aborted || !this.#breaker.admit())
      throw unreachable(name, this.#lastError?.message);
    const work = boundWork(this.#around.after, timeoutMs, signal);
    try {
      const connection = await orAborted(this.#connect(), work.signal);
      const parameters = this.#prepared?.headerParameters.get(tool) ?? [];
      const calling = connection.call({
        ...rest,
        tool,
        args,
        signal: work.signal,
        ...(onProgress && { onProgress: renewing(onProgress, work) }),
        ...(parameters.length > 0 && { headers: writeHeaderParameters(parameters, args) }),
      });
      const result = await orAborted(calling, work.signal);
      this.#breaker.succeed();
      return result;
    } catch (error) {
      throw this.#settleCall(error, work, signal);
    } finally {
      work.done();
    }
  }

  /** Ends everything; the tools stay. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#ending.abort(closed());
    this.#cancelTimer();
    this.#cancelNotice?.();
    await this.#drop();
    await this.#running?.catch(() => {});
    await Promise.all(this.#openings);
    await this.#drop();
  }

  /** Takes the server's backend from all of its tools, in one change. */
  async removeTools(): Promise<void> {
    const nothing: PreparedList = {
      tools: [],
      ownNames: new Map(),
      headerParameters: new Map(),
      leftOut: [],
    };
    await takeOverList(nothing, this.entry, this.#around.registry, undefined);
    this.#taken = NOTHING_TAKEN;
  }

  async #attempt(): Promise<void> {
    this.#cancelTimer();
    const { now, inTurn, observer } = this.#around;
    const { name } = this.entry;
    let begun = now();
    let changed = 0;
    try {
      await inTurn(async () => {
        begun = now();
        changed = await this.#read();
      });
    } catch (error) {
      if (this.#ending.signal.aborted) throw closed();
      const problem = toProblem(error);
      await this.#fail(problem);
      observer.onRefresh({
        server: name,
        durationMs: now() - begun,
        code: problem.code,
        message: problem.message,
        changed: 0,
      });
      throw problem;
    }
    this.#succeed();
    this.#idleNotices = changed > 0 ? 0 : this.#idleNotices + 1;
    observer.onRefresh({
      server: name,
      durationMs: now() - begun,
      code: undefined,
      message: undefined,
      changed,
    });
  }

  /** Gives how many tools changed. A connection that was good once may be gone unnoticed: then there is another one. */
  async #read(): Promise<number> {
    const isOld = this.#connection !== undefined;
    try {
      return await this.#readOver(await this.#connect());
    } catch (error) {
      const mayBeGone =
        error instanceof ServerProblem && ['unreachable', 'bad_answer', 'refused'].includes(error.code);
      if (!isOld || !mayBeGone || this.#ending.signal.aborted) throw error;
      await this.#drop();
      return await this.#readOver(await this.#connect());
    }
  }

  async #readOver(connection: ServerConnection): Promise<number> {
    const { after, pause } = this.#around;
    const { timeouts } = this.entry;
    const work = boundWork(after, timeouts.listMs, this.#ending.signal);
    try {
      const readPage = (cursor: string | undefined) =>
        orAborted(connection.listPage(cursor, work.signal), work.signal);
      const list = connection.hasTools
        ? await listTools({ readPage, pause })
        : { tools: [], ttlMs: undefined, leftOut: [] };
      this.#ttlMs = list.ttlMs;
      if (this.#isDoubtful(list.tools.length)) return 0;
      return await this.#take(prepareList(list, this.entry));
    } catch (error) {
      if (work.isLate())
        throw new ServerProblem('timed_out', `It did not give its list within ${timeouts.listMs} ms.`);
      throw error;
    } finally {
      work.done();
      connection.listen();
    }
  }

  /** An empty list is believed when it comes a second time: a server that has lost its tools for a moment says the same as one that has none. */
  #isDoubtful(tools: number): boolean {
    const isEmpty = tools === 0 && this.#around.registry.idsOfServer(this.entry.name).length > 0;
    const isDoubtful = isEmpty && !this.#wasEmpty;
    this.#wasEmpty = isEmpty;
    if (isDoubtful) this.#setStale(this.#around.wallClock());
    return isDoubtful;
  }

  async #take(prepared: PreparedList): Promise<number> {
    const { registry, notes, observer } = this.#around;
    const { name, isPinned } = this.entry;
    if (isPinned) this.#approved ??= await notes.readApproved(name);
    const { summary, leftOut, pending } = await takeOverList(
      prepared,
      this.entry,
      registry,
      isPinned ? this.#approved : undefined,
    );
    if (isPinned) await this.#keepApproved(summary.hashes);
    if (isNews(leftOut, this.#taken.leftOut)) observer.onLeftOut(name, leftOut);
    if (isNews(pending, this.#taken.pending))
      observer.onPending(
        name,
        pending.map(({ id }) => id),
      );
    this.#prepared = prepared;
    this.#taken = { leftOut, pending, diverged: summary.diverged };
    this.#wasEmpty = false;
    this.#setStale(undefined);
    return summary.registered + summary.updated + summary.removed;
  }

  /** What is seen for the first time is taken at its word, and held to it. */
  async #keepApproved(hashes: ReadonlyMap<string, string>): Promise<void> {
    const known = this.#approved ?? new Map();
    const all = new Map([...known, ...hashes]);
    if (all.size === known.size) return;
    this.#approved = all;
    await this.#around.notes.writeApproved(this.entry.name, all);
  }

  #connect(): Promise<ServerConnection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<ServerConnection> {
    const { connector, after, now } = this.#around;
    const { timeouts } = this.entry;
    const work = boundWork(after, timeouts.connectMs, this.#ending.signal);
    let connection: ServerConnection | undefined;
    let isLost = false;
    const events = {
      onListChanged: () => this.#notice(),
      onLost: (reason: string) => {
        isLost = true;
        this.#lose(connection, reason);
      },
    };
    try {
      const opening = connector.connect(this.entry, events, work.signal);
      this.#watchOver(opening, work.signal);
      connection = await orAborted(opening, work.signal);
      if (isLost) throw new ServerProblem('unreachable', 'The connection was closed.');
      this.#connection = connection;
      this.#connectedAt = now();
      this.#seen = { era: connection.era, protocolVersion: connection.protocolVersion };
      return connection;
    } catch (error) {
      if (work.isLate())
        throw new ServerProblem('timed_out', `It could not be connected within ${timeouts.connectMs} ms.`);
      throw error;
    } finally {
      work.done();
    }
  }

  /** What comes although nobody waits for it any more is closed. */
  #watchOver(opening: Promise<ServerConnection>, signal: AbortSignal): void {
    const settled = opening
      .then((late) => (signal.aborted ? late.close() : undefined))
      .catch(() => {})
      .finally(() => this.#openings.delete(settled));
    this.#openings.add(settled);
  }

  /** The connection broke by itself. */
  #lose(connection: ServerConnection | undefined, reason: string): void {
    if (connection === undefined || this.#connection !== connection) return;
    this.#connection = undefined;
    this.#around.observer.onLost(this.entry.name, reason);
    // An attempt that is running notices by itself.
    if (this.#ending.signal.aborted || this.#running !== undefined) return;
    void this.#fail(new ServerProblem('unreachable', reason));
  }

  async #drop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(() => {});
  }

  /** One notice or a thousand: one refresh, and a later one each time when nothing had changed. */
  #notice(): void {
    if (this.#cancelNotice !== undefined || this.#ending.signal.aborted) return;
    const { debounceMs } = SERVER_TIMES;
    const delay = Math.min(
      debounceMs * 2 ** Math.max(0, this.#idleNotices - 1),
      Math.max(debounceMs, this.entry.refresh.minMs),
    );
    this.#cancelNotice = this.#around.after(delay, () => {
      this.#cancelNotice = undefined;
      void this.refresh().catch(() => {});
    });
  }

  #succeed(): void {
    const { now, wallClock, random } = this.#around;
    const { minMs, maxMs } = this.entry.refresh;
    this.#status = 'up';
    this.#lastRefresh = wallClock();
    this.#lastError = undefined;
    if (now() - this.#connectedAt >= SERVER_TIMES.stableMs) this.#failures = 0;
    const dueMs = this.#wasEmpty ? minMs : Math.min(Math.max(this.#ttlMs ?? maxMs, minMs), maxMs);
    // Up to a tenth later, so that servers which began together do not stay together.
    this.#schedule(dueMs * (1 + random() / 10));
  }

  async #fail({ code, message }: ServerProblem): Promise<void> {
    const { wallClock, random } = this.#around;
    const { first, most } = SERVER_TIMES.backoffMs;
    const at = wallClock();
    this.#status = 'down';
    this.#failures++;
    this.#lastError = { code, message, at };
    if (this.#staleSince === undefined && this.#hasTools) this.#setStale(at);
    await this.#drop();
    await this.#dropLongGone(at);
    const backoff = Math.min(first * 2 ** (this.#failures - 1), most);
    this.#schedule(backoff * (0.75 + random() / 2));
  }

  get #hasTools(): boolean {
    return this.#around.registry.idsOfServer(this.entry.name).length > 0;
  }

  async #dropLongGone(at: number): Promise<void> {
    if (this.#staleSince === undefined || at - this.#staleSince < this.entry.dropAfterMs || !this.#hasTools)
      return;
    // What the store does not take now it is asked again at the next attempt.
    await this.removeTools().then(
      () => this.#setStale(undefined),
      () => {},
    );
  }

  #setStale(since: number | undefined): void {
    if (since !== undefined && this.#staleSince !== undefined) return;
    if (since === this.#staleSince) return;
    this.#staleSince = since;
    const { notes } = this.#around;
    const { staleSince: _, ...note } = notes.get(this.entry.name);
    void notes.set(this.entry.name, since === undefined ? note : { ...note, staleSince: since });
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer();
    if (this.#ending.signal.aborted) return;
    this.#cancelTimer = this.#around.after(delayMs, () => void this.refresh().catch(() => {}));
  }

  #settleCall(error: unknown, work: BoundedWork, signal: AbortSignal | undefined): CallProblem {
    const { name } = this.entry;
    if (signal?.aborted && !work.isLate()) {
      this.#breaker.abandon();
      return new CallProblem('cancelled', `The call of the server "${name}" was cancelled.`);
    }
    if (error instanceof CallProblem && error.code === 'refused') this.#breaker.succeed();
    else this.#breaker.fail();
    // Whether it is still there is found out by reading its list.
    if (!(error instanceof CallProblem && error.code === 'refused')) this.#notice();
    if (work.isLate()) return new CallProblem('timed_out', `The server "${name}" did not answer in time.`);
    return error instanceof CallProblem ? error : unreachable(name, toProblem(error).message);
  }
}

const NOTHING_TAKEN = { leftOut: [], pending: [] as readonly PendingDefinition[], diverged: [] } as const;

function renewing(
  onProgress: NonNullable<CallOptions['onProgress']>,
  { renew }: BoundedWork,
): NonNullable<CallOptions['onProgress']> {
  return (progress) => {
    renew();
    onProgress(progress);
  };
}

function toProblem(error: unknown): ServerProblem {
  if (error instanceof ServerProblem) return error;
  if (error instanceof ListProblem) return new ServerProblem(error.code, error.message);
  // A store that does not answer, or a defect of ours: neither is the server's.
  return new ServerProblem('not_stored', 'The registry could not take its tools.', error);
}

function closed(): ServerProblem {
  return new ServerProblem('unreachable', 'The service is ending.');
}

function unreachable(server: string, reason: string | undefined): CallProblem {
  return new CallProblem(
    'server_unreachable',
    `The server "${server}" cannot be reached.${reason === undefined ? '' : ` ${reason}`}`,
  );
}

/** Whether there is something that was not there before. */
function isNews(now: readonly unknown[], before: readonly unknown[]): boolean {
  return now.length > 0 && JSON.stringify(now) !== JSON.stringify(before);
}
