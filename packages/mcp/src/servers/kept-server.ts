import { isJsonObject, type JsonObject } from '@winnow/registry';
import { boundWork, orAborted } from './bound-wait.ts';
import { CallProblem, type FailureKind, ServerProblem, toServerProblem } from './failures.ts';
import { HeldConnections, KeptConnection } from './kept-connection.ts';
import { KeptList, RefreshTimer } from './kept-list.ts';
import { explainOfferRefusal, KeptOffers, type ReadOffers, readOffers } from './kept-offers.ts';
import type {
  AdmitOptions,
  AnnotatedTool,
  CallHolder,
  CallOptions,
  CallResult,
  OfferChange,
  OfferRequest,
  ServerState,
  ServerStatus,
  SubscribeOptions,
} from './mcp-servers.ts';
import { listTools, OFFER_KINDS, type Offer } from './read-list.ts';
import { keepSubscribed, ServerCalls } from './server-calls.ts';
import { SERVER_TIMES, type ServerConnection, type ServerEffects } from './server-connection.ts';
import type { Isolation, ServerEntry } from './server-entry.ts';
import { type Reviewed, type ServerNotes, StaleMark } from './server-notes.ts';
import { explainRefusal, type RegisteredTool, writeHeaderParameters } from './take-over-list.ts';

/** Dependencies that all servers of a tenant share. */
export interface ServerSurroundings extends ServerEffects {
  readonly notes: ServerNotes;
  /** Runs work when it is its turn. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Receives changes of what servers offer in addition to tools. */
  readonly onOffers: (change: OfferChange) => void;
}

/**
 * One server, with its connection, its list and its calls.
 *
 * Contract: one attempt to read the list runs at a time; requests during it share the next attempt. Only a list that was
 * read to its end changes the registry.
 */
export class KeptServer {
  readonly entry: ServerEntry;
  readonly #around: ServerSurroundings;
  readonly #ending = new AbortController();
  readonly #connection: KeptConnection;
  readonly list: KeptList;
  /** Prompts, resources, templates and instructions. */
  readonly offers: KeptOffers;
  readonly #calls: ServerCalls;
  /** Connections of callers who must not share the state of the server. */
  readonly #held: HeldConnections;
  readonly #timer: RefreshTimer;
  readonly #stale: StaleMark;
  #status: ServerStatus;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failures = 0;
  #ttlMs: number | undefined;
  #lastRefresh: number | undefined;
  #lastError: ServerState['lastError'];

  constructor(entry: ServerEntry, around: ServerSurroundings) {
    this.entry = entry;
    this.#around = around;
    this.#status = entry.isEnabled ? 'connecting' : 'disabled';
    const { signal: ending } = this.#ending;
    this.#stale = new StaleMark(entry.name, around.notes);
    this.#timer = new RefreshTimer(around.after, entry, () => void this.refresh().catch(() => {}));
    this.list = new KeptList({ ...around, entry });
    this.offers = new KeptOffers({ ...around, entry });
    const onNotice = () => this.#timer.notice();
    const keepConnection = (onLost: (reason: string) => void) =>
      new KeptConnection({ ...around, entry, ending, onNotice, onLost });
    this.#connection = keepConnection((reason) => this.#lose(reason));
    this.#held = new HeldConnections({
      server: entry.name,
      limit: entry.maxProcesses,
      idleMs: SERVER_TIMES.idleMs,
      after: around.after,
      // When one is lost, its calls fail; the next one opens another.
      create: () => keepConnection(() => {}),
    });
    this.#calls = new ServerCalls({
      ...around,
      entry,
      ending,
      run: async (holder, call, options) => {
        const key = this.#keyOf(holder);
        return key === undefined ? this.#connection.use(call, options) : this.#held.run(key, call, options);
      },
      lastError: () => this.#lastError?.message,
      onDoubt: onNotice,
    });
  }

  get state(): ServerState {
    const { name, transport, namespace, prefix, trustsAnnotations, isPinned } = this.entry;
    const { seen } = this.#connection;
    const { leftOut, pending, diverged } = this.list.exceptions;
    const { counts } = this.offers;
    return {
      name,
      transport: transport.type,
      status: this.#status,
      era: seen?.era,
      protocolVersion: seen?.protocolVersion,
      namespace,
      prefix,
      tools: this.list.size,
      prompts: counts.prompt,
      resources: counts.resource,
      templates: counts.template,
      lastRefresh: this.#lastRefresh,
      lastError: this.#lastError,
      staleSince: this.staleSince,
      trustsAnnotations,
      isPinned,
      isolation: this.#isolation,
      processes: this.#held.size,
      leftOut: [...leftOut, ...this.offers.leftOut].slice(0, MAX_LEFT_OUT),
      pending: [...pending, ...this.offers.pending],
      diverged,
    };
  }

  get staleSince(): number | undefined {
    return this.#stale.since;
  }

  /** Returns the server's own name of a tool that may be called. Rejects with a `CallProblem`. */
  async admit(tool: RegisteredTool, { signal, onlyReads = false }: AdmitOptions): Promise<string> {
    const { name, timeouts } = this.entry;
    const refuse = () => {
      const refusal = this.list.refusalOf(tool);
      if (refusal !== undefined) throw new CallProblem('not_allowed', explainRefusal(refusal, name, tool));
    };
    refuse();
    if (!this.list.isKnown) await this.#calls.waitFor(() => this.#listOnce(), timeouts.callMs, signal);
    refuse();
    if (onlyReads && this.hintsOf({ ...tool, ...UNTRUSTED }).readOnlyHint !== true)
      throw new CallProblem('not_read_only', `The server ${name} does not declare this tool read-only.`);
    return this.list.ownName(tool);
  }

  /** Calls a tool by the server's own name. Rejects with a `CallProblem`. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<CallResult> {
    const parameters = this.list.headerParametersOf(tool);
    const headers = parameters.length > 0 && { headers: writeHeaderParameters(parameters, args) };
    const params = { name: tool, arguments: args };
    return this.#calls.request({ method: 'tools/call', params, ...headers }, options);
  }

  /** Sends a request for an offer that may be relayed. Rejects with a `CallProblem`. */
  async relay({ offer, ...request }: OfferRequest, options: CallOptions): Promise<CallResult> {
    await this.#admitOffer(offer, options.signal);
    return this.#calls.request(request, options);
  }

  /** Subscribes to a resource that may be relayed. Rejects with a `CallProblem`. */
  async subscribe(uri: string, options: SubscribeOptions): Promise<void> {
    await this.#admitOffer({ kind: 'resource', key: uri }, options.signal);
    const { signal } = options;
    return keepSubscribed(uri, {
      ...options,
      signal: AbortSignal.any([signal, this.#ending.signal]),
      calls: this.#calls,
      after: this.#around.after,
    });
  }

  /** Waits for the first list, and throws a `CallProblem` where an offer is not relayed. */
  async #admitOffer(offer: OfferRequest['offer'], signal: AbortSignal | undefined): Promise<void> {
    const { name, timeouts } = this.entry;
    if (!this.offers.isKnown)
      await this.#calls.waitFor(() => this.#running ?? this.refresh(), timeouts.callMs, signal);
    const refusal = this.offers.refusalOf(offer);
    if (refusal !== undefined) throw new CallProblem('not_allowed', explainOfferRefusal(refusal, name));
  }

  /** Returns the annotations of a tool that count. Until the list is read, those of the last list that was. */
  hintsOf(tool: AnnotatedTool): JsonObject {
    if (!this.entry.trustsAnnotations || this.list.refusalOf(tool) !== undefined) return {};
    if (!this.list.isKnown) return tool.hasTrustedAnnotations ? tool.annotations : {};
    const { annotations } = this.list.definitionOf(tool) ?? {};
    return isJsonObject(annotations) ? annotations : {};
  }

  /** Starts to keep the server, without waiting. */
  start(): void {
    if (this.entry.isEnabled) void this.refresh().catch(() => {});
  }

  /**
   * Reads the list again. Settles with the first attempt that begins from now on; rejects with a
   * `ServerProblem` when that fails.
   */
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

  /** Approves pending definitions: the given ids with their reviewed digests, or all. Returns the approved ids. */
  async approve(reviewed: Reviewed): Promise<readonly string[]> {
    const approved = await this.list.approve(reviewed);
    if (approved.length > 0) this.#stale.clear();
    return [...approved, ...(await this.#change(() => this.offers.approve(reviewed)))];
  }

  /** Ends calls and connection; the tools stay. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#ending.abort(closed());
    this.#timer.stop();
    await this.#connection.drop();
    await this.#running?.catch(() => {});
    await Promise.all([this.#connection.close(), this.#held.close()]);
  }

  get #isolation(): Isolation {
    return this.entry.isolation ?? this.#around.defaultIsolation?.() ?? 'none';
  }

  /** Returns the key of the connection for a holder; undefined for the one that all share. */
  #keyOf({ caller, session }: CallHolder = { caller: '' }): string | undefined {
    // Over HTTP, the newer era has no sessions and so no state of one.
    const isStateless = this.entry.transport.type === 'http' && this.#connection.seen?.era === 'modern';
    if (this.#isolation === 'none' || isStateless) return undefined;
    return JSON.stringify(this.#isolation === 'session' ? [caller, session] : [caller]);
  }

  /** Reads the list, or waits for the attempt that is reading it. An empty list is believed the second time. */
  async #listOnce(): Promise<void> {
    for (let attempt = 0; attempt < 2 && !this.list.isKnown; attempt++) {
      await (this.#running ?? this.refresh());
    }
  }

  async #attempt(): Promise<void> {
    this.#timer.begin();
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
      const problem = toServerProblem(error);
      const { code, message } = problem;
      await this.#fail(problem);
      observer.onRefresh({ server: name, durationMs: now() - begun, code, message, changed: 0 });
      throw problem;
    }
    this.#succeed(changed);
    const durationMs = now() - begun;
    observer.onRefresh({ server: name, durationMs, code: undefined, message: undefined, changed });
  }

  /** Reads the list and returns the number of changed tools. Retries once, as an older connection may be lost unnoticed. */
  async #read(): Promise<number> {
    const isOld = this.#connection.isOpen;
    try {
      return await this.#connection.use((connection) => this.#readOver(connection), { onlyReads: true });
    } catch (error) {
      const mayBeGone =
        error instanceof ServerProblem &&
        ['unreachable', 'bad_answer', 'refused'].includes(error.code) &&
        !ANSWERS.has(error.failure);
      if (!isOld || !mayBeGone || this.#ending.signal.aborted) throw error;
      await this.#connection.drop();
      return await this.#readOver(await this.#connection.open());
    }
  }

  async #readOver(connection: ServerConnection): Promise<number> {
    const { after, pause, wallClock } = this.#around;
    const { timeouts } = this.entry;
    const work = boundWork(after, timeouts.listMs, this.#ending.signal);
    try {
      const readPage = (cursor: string | undefined) =>
        orAborted(connection.listPage('tools/list', cursor, work.signal), work.signal);
      const list = connection.hasTools
        ? await listTools({ readPage, pause })
        : { tools: [], ttlMs: undefined, leftOut: [] };
      const changed = await this.list.take(list);
      if (changed === undefined) this.#stale.set(wallClock());
      else this.#stale.clear();
      const offers = await this.#readOffers(connection);
      this.#ttlMs = shortest(list.ttlMs, offers.ttlMs);
      return (changed ?? 0) + (await this.#change(() => this.offers.take(offers)));
    } catch (error) {
      if (work.isLate())
        throw new ServerProblem('timed_out', `It did not return its list within ${timeouts.listMs} ms.`);
      throw error;
    } finally {
      work.done();
      connection.listen();
    }
  }

  /** Reads everything except tools, with a separate timeout. Never rejects. */
  async #readOffers(connection: ServerConnection): Promise<ReadOffers> {
    const { after, pause } = this.#around;
    const timeoutMs = Math.min(this.entry.timeouts.listMs, SERVER_TIMES.offersMs);
    const work = boundWork(after, timeoutMs, this.#ending.signal);
    try {
      return await readOffers(connection, {
        pause,
        readPage: async (list, cursor) => {
          try {
            return await orAborted(connection.listPage(list.method, cursor, work.signal), work.signal);
          } catch (error) {
            if (!work.isLate()) throw error;
            throw new ServerProblem('timed_out', `It did not arrive within ${timeoutMs} ms.`);
          }
        },
      });
    } finally {
      work.done();
    }
  }

  /** Changes the offers, and reports the kinds that have changed. */
  async #change<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.offers.shown;
    const result = await work();
    const after = this.offers.shown;
    if (before === after) return result;
    const textOf = (offers: readonly Offer[], kind: Offer['kind']) =>
      JSON.stringify(offers.filter((offer) => offer.kind === kind));
    const kinds = new Set(OFFER_KINDS.filter((kind) => textOf(before, kind) !== textOf(after, kind)));
    this.#around.onOffers({ server: this.entry.name, namespace: this.entry.namespace, kinds });
    return result;
  }

  /** Marks the server as down, unless a running attempt will notice the loss. */
  #lose(reason: string): void {
    this.#around.observer.onLost(this.entry.name, reason);
    if (this.#ending.signal.aborted || this.#running !== undefined) return;
    void this.#fail(new ServerProblem('unreachable', reason));
  }

  #succeed(changed: number): void {
    const { wallClock, random } = this.#around;
    const { minMs, maxMs } = this.entry.refresh;
    this.#status = 'up';
    this.#lastRefresh = wallClock();
    this.#lastError = undefined;
    if (this.#connection.ageMs >= SERVER_TIMES.stableMs) this.#failures = 0;
    const dueMs = this.list.isInDoubt ? minMs : Math.min(Math.max(this.#ttlMs ?? maxMs, minMs), maxMs);
    // Up to a tenth later, so that servers which began together do not stay together.
    this.#timer.schedule(dueMs * (1 + random() / 10));
    this.#timer.succeed(changed);
  }

  async #fail({ code, message, failure }: ServerProblem): Promise<void> {
    const { wallClock, random } = this.#around;
    const { first, most } = SERVER_TIMES.backoffMs;
    const at = wallClock();
    this.#status = 'down';
    this.#failures++;
    this.#lastError = { code, message, at };
    if (this.list.size > 0) this.#stale.set(at);
    // A response of HTTP shows that the connection is good; calls of others may be running on it.
    if (!ANSWERS.has(failure)) await this.#connection.drop();
    await this.#dropLongGone(at);
    const backoff = Math.min(first * 2 ** (this.#failures - 1), most);
    this.#timer.schedule(backoff * (0.75 + random() / 2));
  }

  async #dropLongGone(at: number): Promise<void> {
    const { since } = this.#stale;
    if (since === undefined || at - since < this.entry.dropAfterMs || this.list.size === 0) return;
    // If the store refuses the write, the next attempt retries it.
    await this.list.remove().then(
      () => this.#stale.clear(),
      () => {},
    );
    await this.#change(async () => this.offers.clear());
  }
}

const ANSWERS: ReadonlySet<FailureKind> = new Set([
  'unauthorized',
  'forbidden',
  'rate_limited',
  'server_error',
]);

/** Most entries that are named as left out. */
const MAX_LEFT_OUT = 100;

/** Returns the shorter of two lifetimes, if any is known. */
function shortest(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}

const UNTRUSTED = { annotations: {}, hasTrustedAnnotations: false } as const;

function closed(): ServerProblem {
  return new ServerProblem('unreachable', 'The service is shutting down.');
}
