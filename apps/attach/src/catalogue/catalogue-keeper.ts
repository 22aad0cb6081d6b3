import { Slots } from '@winnow/service';
import { NO_TRACE, SILENT_TRACER, type Tracer } from '@winnow/tracing';
import type { Letta } from '../letta/letta-client.ts';
import { LettaFailure } from '../letta/letta-failure.ts';
import type { OfferedTool } from '../letta/read-answers.ts';
import type { KnownTool } from '../plan/known-tool.ts';
import type { Warning } from '../plan/plan-attachment.ts';
import { ToolCatalogue } from './tool-catalogue.ts';

/** What keeping a catalogue takes. */
export interface CatalogueKeeperOptions {
  readonly letta: Letta;
  /** Readings have a trace of their own, as they are nobody's alone; without one there are none. */
  readonly tracer?: Tracer;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** What a registry knows, by the MCP servers that have it; the same array until it changes. Missing without a registry. */
  readonly registered?: () => readonly OfferedTool[];
  /** All tools were read. */
  readonly onRead: (reading: CatalogueReading) => void;
  /** They could not be read; what is known stays. */
  readonly onFailure: (error: unknown) => void;
}

/** What reading all tools has come to. */
export interface CatalogueReading {
  /** Tools that can be found. */
  readonly tools: number;
  /** MCP servers that did not say what they offer. */
  readonly unreadServers: number;
  /** Of the tools, those that a registry alone has told of. */
  readonly fromRegistry: number;
}

/** After so long, what is known is read again, and nobody waits for it; in milliseconds. */
const FRESH_MS = 5 * 60_000;

/** After so long, whoever asks waits until it is. */
const STALE_MS = 15 * 60_000;

/** Reading all tools may take so long, in milliseconds. */
const READ_MS = 20_000;

/** What an agent has and nobody knew leads to reading again, at most so often, in milliseconds. */
const MISS_MS = 30_000;

/** MCP servers that are asked at the same time. */
const SERVERS_AT_ONCE = 4;

/**
 * Keeps the catalogue of a Letta server: read when it is first needed, every five minutes while it is used, and after it was said to be out of date. While Letta cannot
 * be read, the last state is searched, and a warning says so; without one, asking for it rejects.
 *
 * What a registry knows is in it as far as Letta has an MCP server of the name that the registry gives to the tool's: through that server Letta can register it. It
 * makes no difference whether the registry can be reached: what is known of it at the moment counts.
 */
export class CatalogueKeeper {
  readonly catalogue = new ToolCatalogue();
  readonly #options: CatalogueKeeperOptions;
  #readAt: number | undefined;
  #isOutdated = false;
  #missedAt = Number.NEGATIVE_INFINITY;
  #unread: readonly string[] = [];
  /** The MCP servers that Letta knows, and what they have said that they offer. */
  #servers: ReadonlySet<string> = new Set();
  #offered: readonly OfferedTool[] = [];
  /** Of a registry, as it was taken over. */
  #registered: readonly OfferedTool[] = [];
  #reading: Promise<void> | undefined;

  constructor(options: CatalogueKeeperOptions) {
    this.#options = options;
  }

  /** Milliseconds since all tools were read; undefined before. */
  get ageMs(): number | undefined {
    return this.#readAt === undefined ? undefined : this.#options.now() - this.#readAt;
  }

  /** Sees to it that there is a catalogue, and gives what is to be said about it. */
  async ready(): Promise<readonly Warning[]> {
    const { ageMs } = this;
    if (ageMs === undefined) await this.refresh();
    else if (this.#isOutdated || ageMs > STALE_MS) await this.refresh().catch(() => {});
    else if (ageMs > FRESH_MS) this.#refreshMeanwhile();
    const { registered } = this.#options;
    if (registered !== undefined && registered() !== this.#registered) this.#offer();
    return this.#warnings();
  }

  /** Reads all tools now. Those who ask while that is being done get the same. Rejects with a `LettaFailure`. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Says that something has changed in Letta: the next who asks waits until all is read again. */
  outdate(): void {
    this.#isOutdated = true;
  }

  /** Takes over the tools of an agent. One that was not known says that there may be more. */
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
      // Without an answer, those that were known are more likely than none.
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

  /** Gives how many tools can be found that a registry alone has told of. */
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
        message: `${this.#unread.length} MCP servers did not say what they offer.`,
      });
    return warnings;
  }
}

/** What MCP servers offer. One that does not answer hides its own tools alone, as long as they are not registered. */
async function readOffered(
  letta: Letta,
  signal: AbortSignal,
): Promise<{
  /** Undefined when Letta did not say. */
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
