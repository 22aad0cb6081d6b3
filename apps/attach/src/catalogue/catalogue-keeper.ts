import { Slots } from '@winnow/service';
import type { Letta } from '../letta/letta-client.ts';
import type { OfferedTool } from '../letta/read-answers.ts';
import type { KnownTool } from '../plan/known-tool.ts';
import type { Warning } from '../plan/plan-attachment.ts';
import { ToolCatalogue } from './tool-catalogue.ts';

/** What keeping a catalogue takes. */
export interface CatalogueKeeperOptions {
  readonly letta: Letta;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** All tools were read. */
  readonly onRead: (tools: number, unread: number) => void;
  /** They could not be read; what is known stays. */
  readonly onFailure: (error: unknown) => void;
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
 */
export class CatalogueKeeper {
  readonly catalogue = new ToolCatalogue();
  readonly #options: CatalogueKeeperOptions;
  #readAt: number | undefined;
  #isOutdated = false;
  #missedAt = Number.NEGATIVE_INFINITY;
  #unread: readonly string[] = [];
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
    const { letta, deadline, now, onRead, onFailure } = this.#options;
    const signal = deadline(READ_MS);
    this.#isOutdated = false;
    try {
      const known: KnownTool[] = [];
      for await (const page of letta.listTools(signal)) known.push(...page);
      const { offered, unread } = await readOffered(letta, signal);
      this.catalogue.replace(known, offered);
      this.#unread = unread;
      this.#readAt = now();
      onRead(this.catalogue.size, unread.length);
    } catch (error) {
      this.#isOutdated = true;
      onFailure(error);
      throw error;
    }
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
): Promise<{ offered: readonly OfferedTool[]; unread: readonly string[] }> {
  const unread: string[] = [];
  const servers = await letta.listServers(signal).catch(() => {
    unread.push('all of them');
    return [];
  });
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
  return { offered: lists.flat(), unread };
}
