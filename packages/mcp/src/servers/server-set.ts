import type { JsonObject, ServerTerms } from '@winnow/registry';
import { Slots } from '@winnow/service';
import { CallProblem } from './failures.ts';
import { KeptServer, type ServerSurroundings } from './kept-server.ts';
import type {
  AdmitOptions,
  AnnotatedTool,
  CallOptions,
  CallResult,
  McpServers,
  OfferChange,
  OfferRequest,
  ServerState,
  SubscribeOptions,
} from './mcp-servers.ts';
import { OFFER_KINDS, type Offer } from './read-list.ts';
import { type RefusedTool, SERVER_TIMES, type ServerEffects } from './server-connection.ts';
import type { ServerEntry } from './server-entry.ts';
import type { Reviewed } from './server-notes.ts';
import { ServerNotes } from './server-notes.ts';
import { type CallRefusal, type RegisteredTool, termsOf } from './take-over-list.ts';

/** Administration of the servers of a tenant. */
export interface ServerAdministration extends McpServers {
  /**
   * Adds a server, or replaces the one of its name once that has ended. `source` is its configuration, and is
   * stored for the next start.
   */
  put(entry: ServerEntry, source?: unknown): Promise<void>;
  /** Returns the source that a server was added with. */
  sourceOf(server: string): unknown;
  /** Removes a server and, in one change, its tools. Whether there was one. Rejects with a `ServerProblem` when its tools cannot be removed. */
  remove(server: string): Promise<boolean>;
  /** Reads a server's list now. Rejects with a `ServerProblem` when that fails. */
  refresh(server: string): Promise<void>;
  /** Takes over changed definitions of a pinned server, tools and offers. Gives the ids that were. */
  approve(server: string, reviewed?: Reviewed): Promise<readonly string[]>;
  /** Returns the terms on which a server's tools are registered and called; undefined when there is no such server. */
  termsOf(server: string): ServerTerms | undefined;
  /** Returns the registered tools that are not called on a server, by id. */
  refused(server: string): readonly RefusedTool[];
  /** Returns when a server's tools became possibly outdated. */
  staleSince(server: string): number | undefined;
}

/** Options of {@link openServers}. */
export interface OpenServersOptions extends ServerEffects {
  readonly entries: readonly ServerEntry[];
  /**
   * Creates an entry from the source that `put` received in an earlier run; undefined if that is no longer
   * readable.
   */
  readonly readSource: (name: string, source: unknown) => ServerEntry | undefined;
  /** A note could not be written: its content is lost at the next start. */
  readonly onNoteFailure: (error: unknown) => void;
}

/**
 * Starts the servers of one tenant: those of the configuration, and those that were added later and are stored
 * with the tools. Waits for no server. Tools of servers that are no longer configured are removed. Rejects when
 * the notes cannot be read.
 */
export async function openServers(options: OpenServersOptions): Promise<ServerAdministration> {
  const { entries, readSource, onNoteFailure, registry } = options;
  const notes = new ServerNotes(registry, onNoteFailure);
  const known = await notes.open();
  const set = new ServerSet((onOffers) => ({ ...options, notes, inTurn: turns(options), onOffers }));
  const configured = new Set(entries.map(({ name }) => name));
  for (const [name, { entry: source }] of [...known]) {
    if (configured.has(name)) continue;
    const entry = source === undefined ? undefined : readSource(name, source);
    if (entry !== undefined) set.begin(entry);
    else await set.forget(name);
  }
  for (const entry of entries) set.begin(entry);
  return set;
}

/** At most so many at a time; a slow one makes room for the next one. */
function turns({ after }: ServerEffects): ServerSurroundings['inTurn'] {
  const slots = new Slots(SERVER_TIMES.atOnce);
  return async (work) => {
    let settled: Promise<void> | undefined;
    await slots.run(async () => {
      settled = work();
      let cancel = () => {};
      const late = new Promise<void>((resolve) => {
        cancel = after(SERVER_TIMES.slotMs, resolve);
      });
      await Promise.race([settled.catch(() => {}), late]);
      cancel();
    });
    await settled;
  };
}

class ServerSet implements ServerAdministration {
  readonly #around: ServerSurroundings;
  readonly #servers = new Map<string, KeptServer>();
  readonly #listeners = new Set<(change: OfferChange) => void>();
  #offersVersion = 0;
  #isClosed = false;

  constructor(surround: (onOffers: ServerSurroundings['onOffers']) => ServerSurroundings) {
    this.#around = surround((change) => this.#tell(change));
  }

  get offersVersion(): number {
    return this.#offersVersion;
  }

  offersOf(server: string): readonly Offer[] {
    return this.#servers.get(server)?.offers.shown ?? [];
  }

  onOffersChanged(listener: (change: OfferChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async relay(server: string, request: OfferRequest, options: CallOptions = {}): Promise<CallResult> {
    return this.#find(server).relay(request, options);
  }

  async subscribe(server: string, uri: string, options: SubscribeOptions): Promise<void> {
    return this.#find(server).subscribe(uri, options);
  }

  #find(server: string): KeptServer {
    const kept = this.#servers.get(server);
    if (kept !== undefined) return kept;
    throw new CallProblem('unknown_server', `The server ${server} is not configured here.`);
  }

  #tell(change: OfferChange): void {
    this.#offersVersion++;
    for (const listener of [...this.#listeners]) listener(change);
  }

  /** Reports that a server's offers are removed with it. */
  #tellGone({ entry, offers }: KeptServer): void {
    const kinds = new Set(OFFER_KINDS);
    if (offers.clear()) this.#tell({ server: entry.name, namespace: entry.namespace, kinds });
  }

  /** Starts a server without stored state. */
  begin(entry: ServerEntry): void {
    const server = new KeptServer(entry, this.#around);
    this.#servers.set(entry.name, server);
    const { notes } = this.#around;
    // Its existence must be stored, for the time when it is removed.
    if (Object.keys(notes.get(entry.name)).length === 0) void notes.set(entry.name, {});
    server.list.tellRefused();
    server.start();
  }

  /** Removes the remains of a server that is no longer configured. */
  async forget(name: string): Promise<void> {
    const { registry, notes } = this.#around;
    const gone = await registry.registerFromMcp({
      server: name,
      namespace: '',
      tags: [],
      trustsAnnotations: false,
      tools: [],
    });
    if (gone.ok) await notes.delete(name);
  }

  states(): readonly ServerState[] {
    const states = [...this.#servers.values()].map(({ state }) => state);
    return states.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  state(server: string): ServerState | undefined {
    return this.#servers.get(server)?.state;
  }

  async call(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<CallResult> {
    return this.#find(server).call(tool, args, options);
  }

  async admit(server: string, tool: RegisteredTool, options: AdmitOptions = {}): Promise<string> {
    return this.#find(server).admit(tool, options);
  }

  refusalOf(server: string, tool: RegisteredTool): CallRefusal | undefined {
    return this.#servers.get(server)?.list.refusalOf(tool);
  }

  hintsOf(server: string, tool: AnnotatedTool): JsonObject {
    return this.#servers.get(server)?.hintsOf(tool) ?? {};
  }

  termsOf(server: string): ServerTerms | undefined {
    const entry = this.#servers.get(server)?.entry;
    return entry && termsOf(entry);
  }

  refused(server: string): readonly RefusedTool[] {
    return this.#servers.get(server)?.list.refused ?? [];
  }

  staleSince(server: string): number | undefined {
    return this.#servers.get(server)?.staleSince;
  }

  /** The server may be changed again while one change waits: the last one sent is stored. */
  async put(entry: ServerEntry, source?: unknown): Promise<void> {
    const { notes } = this.#around;
    for (let before = this.#servers.get(entry.name); before; before = this.#servers.get(entry.name)) {
      await before.close();
      this.#drop(before);
    }
    const { entry: _, ...note } = notes.get(entry.name);
    const noted = notes.set(entry.name, source === undefined ? note : { ...note, entry: source });
    if (!this.#isClosed) this.begin(entry);
    await noted;
  }

  /** Forgets a server that has ended. Returns whether it was still the current one. */
  #drop(ended: KeptServer): boolean {
    const { name } = ended.entry;
    if (this.#servers.get(name) !== ended) return false;
    this.#servers.delete(name);
    this.#tellGone(ended);
    return true;
  }

  sourceOf(server: string): unknown {
    return this.#around.notes.get(server).entry;
  }

  async remove(server: string): Promise<boolean> {
    const kept = this.#servers.get(server);
    if (kept === undefined) return false;
    await kept.close();
    await kept.list.remove();
    if (this.#drop(kept)) await this.#around.notes.delete(server);
    return true;
  }

  async refresh(server: string): Promise<void> {
    await this.#servers.get(server)?.refresh();
  }

  async approve(server: string, reviewed?: Reviewed): Promise<readonly string[]> {
    return (await this.#servers.get(server)?.approve(reviewed)) ?? [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }
}
