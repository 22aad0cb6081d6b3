import type { FollowedTools } from '@winnow/clients';
import type { ListedTool } from '@winnow/core';
import { NO_TRACE, SILENT_TRACER, Slots, type Tracer } from '@winnow/service';
import type { Letta } from '../letta/letta-client.ts';
import { LettaFailure, type OfferedTool } from '../letta/read-answers.ts';
import type { KnownTool } from '../plan/known-tool.ts';
import type { Warning } from '../plan/plan-attachment.ts';
import { ToolCatalogue } from './tool-catalogue.ts';

/** Options for keeping a catalogue. */
interface CatalogueKeeperOptions {
  readonly letta: Letta;
  /** Traces readings, which belong to no single request. */
  readonly tracer?: Tracer;
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number;
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Returns the tools of a registry with their MCP servers, the same array until it changes. Missing without a registry. */
  readonly registered?: () => readonly OfferedTool[];
  /** Called when all tools were read. */
  readonly onRead: (reading: CatalogueReading) => void;
  /** Called when the tools could not be read; the known tools stay. */
  readonly onFailure: (error: unknown) => void;
}

/** The result of reading all tools. */
export interface CatalogueReading {
  /** Tools that can be found. */
  readonly tools: number;
  /** The number of MCP servers that did not list their tools. */
  readonly unreadServers: number;
  /** The number of tools known from a registry only. */
  readonly fromRegistry: number;
}

/** The age at which the tools are read again in the background, in milliseconds. */
const FRESH_MS = 5 * 60_000;

/** The age at which requests wait for another reading, in milliseconds. */
const STALE_MS = 15 * 60_000;

/** The time limit for reading all tools, in milliseconds. */
const READ_MS = 20_000;

/** The least time between readings caused by unknown tools of agents, in milliseconds. */
const MISS_MS = 30_000;

/** The largest number of MCP servers asked concurrently. */
const SERVERS_AT_ONCE = 4;

/**
 * Keeps the catalogue of a Letta server: read when it is first needed, every five minutes while it is in use,
 * and after a notification of changes. While Letta cannot be read, the last state is searched, with a warning;
 * if there is none, reading it rejects.
 *
 * It includes tools of a registry if Letta has an MCP server with the name of the tool's server in the
 * registry, because Letta can register them through that server. While the registry is down, its known tools
 * count.
 */
export class CatalogueKeeper {
  readonly catalogue = new ToolCatalogue();
  readonly #options: CatalogueKeeperOptions;
  #readAt: number | undefined;
  #isOutdated = false;
  #missedAt = Number.NEGATIVE_INFINITY;
  #unread: readonly string[] = [];
  /** The MCP servers that Letta knows. */
  #servers: ReadonlySet<string> = new Set();
  #offered: readonly OfferedTool[] = [];
  /** The tools of a registry as last offered to the catalogue. */
  #registered: readonly OfferedTool[] = [];
  #reading: Promise<void> | undefined;

  constructor(options: CatalogueKeeperOptions) {
    this.#options = options;
  }

  /** The milliseconds since all tools were read; undefined before. */
  get ageMs(): number | undefined {
    return this.#readAt === undefined ? undefined : this.#options.now() - this.#readAt;
  }

  /** Makes sure that there is a catalogue, and returns warnings about it. */
  async ready(): Promise<readonly Warning[]> {
    const { ageMs } = this;
    if (ageMs === undefined) await this.refresh();
    else if (this.#isOutdated || ageMs > STALE_MS) await this.refresh().catch(() => {});
    else if (ageMs > FRESH_MS) this.#refreshMeanwhile();
    const { registered } = this.#options;
    if (registered !== undefined && registered() !== this.#registered) this.#offer();
    return this.#warnings();
  }

  /** Reads all tools now. Concurrent calls share one reading. Rejects with a `LettaFailure`. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Marks the catalogue as outdated: the next request waits until all tools are read again. */
  outdate(): void {
    this.#isOutdated = true;
  }

  /** Learns the tools of an agent. An unknown tool means that there may be more, so all are read again. */
  meet(tools: readonly KnownTool[]): void {
    const hasNew = tools.some(({ id }) => this.catalogue.get(id) === undefined);
    this.catalogue.learn(tools);
    if (!hasNew || this.#options.now() - this.#missedAt < MISS_MS) return;
    this.#missedAt = this.#options.now();
    this.#refreshMeanwhile();
  }

  #refreshMeanwhile(): void {
    this.refresh().catch(() => {});
  }

  async #read(): Promise<void> {
    const { deadline, now, onRead, onFailure, tracer = SILENT_TRACER } = this.#options;
    const span = tracer.start('read catalogue', 'internal', NO_TRACE);
    const letta = this.#options.letta.under(span);
    const signal = deadline(READ_MS);
    this.#isOutdated = false;
    try {
      const known: KnownTool[] = [];
      for await (const page of letta.listTools(signal)) known.push(...page);
      const { servers, offered, unread } = await readOffered(letta, signal);
      // Without a response, keep the known servers: they are more likely than none.
      if (servers !== undefined) [this.#servers, this.#offered] = [new Set(servers), offered];
      this.catalogue.replace(known);
      const fromRegistry = this.#offer();
      this.catalogue.prepare();
      this.#unread = unread;
      this.#readAt = now();
      onRead({ tools: this.catalogue.size, unreadServers: unread.length, fromRegistry });
    } catch (error) {
      this.#isOutdated = true;
      span.fail(error instanceof LettaFailure ? error.reason : 'internal');
      onFailure(error);
      throw error;
    } finally {
      span.end();
    }
  }

  /** Offers the unregistered tools to the catalogue, and returns the number known from a registry only. */
  #offer(): number {
    this.#registered = this.#options.registered?.() ?? [];
    const bound = this.#registered.filter(({ server }) => this.#servers.has(server));
    this.catalogue.offer([...this.#offered, ...bound]);
    return bound.filter((tool) => this.catalogue.holds(tool)).length;
  }

  #warnings(): Warning[] {
    const warnings: Warning[] = [];
    if (this.#isOutdated || this.ageMs! > STALE_MS) {
      const seconds = Math.round(this.ageMs! / 1_000);
      warnings.push({
        code: 'stale_catalogue',
        message: `The tools of Letta were last read ${seconds} seconds ago.`,
      });
    }
    if (this.#unread.length > 0)
      warnings.push({
        code: 'unread_servers',
        message: `${this.#unread.length} MCP servers did not list their tools.`,
      });
    return warnings;
  }
}

/** Reads the tools of all MCP servers. A server that does not respond hides only its own unregistered tools. */
async function readOffered(
  letta: Letta,
  signal: AbortSignal,
): Promise<{
  /** Undefined when Letta did not list them. */
  readonly servers: readonly string[] | undefined;
  readonly offered: readonly OfferedTool[];
  readonly unread: readonly string[];
}> {
  const unread: string[] = [];
  const servers = await letta.listServers(signal).catch(() => undefined);
  if (servers === undefined) return { servers, offered: [], unread: ['all of them'] };
  const slots = new Slots(SERVERS_AT_ONCE);
  const lists = await Promise.all(
    servers.map((server) =>
      slots.run(() =>
        letta.listOffered(server, signal).catch(() => {
          unread.push(server);
          return [];
        }),
      ),
    ),
  );
  return { servers, offered: lists.flat(), unread };
}

/**
 * The tools of a registry that Letta may register: those on an MCP server, with the name of that server. Other
 * tools are only counted, because Letta could not call them.
 */
export class RegistryTools implements FollowedTools {
  readonly #byId = new Map<string, OfferedTool | undefined>();
  /** The tools of a server, in the order of their ids; undefined if they must be collected again. */
  #offered: readonly OfferedTool[] | undefined;

  get size(): number {
    return this.#byId.size;
  }

  /** The same array, with the same tools, until something changes. */
  offered(): readonly OfferedTool[] {
    this.#offered ??= [...this.#byId]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .flatMap(([, tool]) => tool ?? []);
    return this.#offered;
  }

  put(tools: readonly ListedTool[]): void {
    for (const tool of tools) this.#byId.set(tool.id, toOffered(tool));
    this.#offered = undefined;
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) this.#byId.delete(id);
    this.#offered = undefined;
  }

  keepOnly(ids: ReadonlySet<string>): void {
    this.remove([...this.#byId.keys()].filter((id) => !ids.has(id)));
  }

  clear(): void {
    this.#byId.clear();
    this.#offered = undefined;
  }

  /** This is cheap: the catalogue includes new tools at its next search. */
  prepare(): void {}

  /** Letta knows tools by the names that their servers give them: none changes with another one. */
  namedLike(id: string): readonly string[] {
    return [id];
  }
}

function toOffered({ name, server, summary, definition }: ListedTool): OfferedTool | undefined {
  if (server === undefined) return undefined;
  return {
    server,
    name,
    description: definition?.description ?? summary,
    inputSchema: definition?.inputSchema,
  };
}
