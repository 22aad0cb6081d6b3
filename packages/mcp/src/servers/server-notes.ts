import { parseJson } from '@winnow/core';
import type { PendingDefinition, Registry } from '@winnow/registry';

/** Data kept about a server between starts, in addition to its tools. */
interface ServerNote {
  /** When its tools became possibly outdated, in milliseconds since the epoch. */
  readonly staleSince?: number;
  /** The namespace of its last list, which is cleared when the server moves to another. */
  readonly listedIn?: string;
  /** As it was added over HTTP; missing for servers of the configuration file. */
  readonly entry?: unknown;
}

const NOTE = 'mcp servers';
const APPROVED = { tools: 'mcp approved ', offers: 'mcp approved-offers ' } as const;
type ApprovedKind = keyof typeof APPROVED;

/**
 * The notes on a tenant's servers, kept with its tools. Written one after the other; whether they are written is not waited for where it does
 * not matter.
 */
export class ServerNotes {
  readonly #registry: Registry;
  readonly #onFailure: (error: unknown) => void;
  #notes = new Map<string, ServerNote>();
  #writing: Promise<void> = Promise.resolve();

  constructor(registry: Registry, onFailure: (error: unknown) => void) {
    this.#registry = registry;
    this.#onFailure = onFailure;
  }

  /** Reads the stored notes. Unreadable notes count as missing. */
  async open(): Promise<ReadonlyMap<string, ServerNote>> {
    const kept = parseJson((await this.#registry.readNote(NOTE)) ?? '');
    if (typeof kept === 'object' && kept !== null)
      this.#notes = new Map(Object.entries(kept as Record<string, ServerNote>));
    return this.#notes;
  }

  get(server: string): ServerNote {
    return this.#notes.get(server) ?? {};
  }

  /** Adds to a server's note. Resolves when it is written; a failure is reported, and nothing else. */
  set(server: string, note: ServerNote): Promise<void> {
    this.#notes.set(server, note);
    return this.#write();
  }

  delete(server: string): Promise<void> {
    this.#notes.delete(server);
    return this.#write();
  }

  /** Returns the digests of approved tools, by name, or of approved offers, by id; undefined before the first approval. */
  async readApproved(
    server: string,
    of: ApprovedKind = 'tools',
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const kept = parseJson((await this.#registry.readNote(`${APPROVED[of]}${server}`)) ?? '');
    const isKept = typeof kept === 'object' && kept !== null;
    return isKept ? new Map(Object.entries(kept as Record<string, string>)) : undefined;
  }

  async writeApproved(
    server: string,
    hashes: ReadonlyMap<string, string>,
    of: ApprovedKind = 'tools',
  ): Promise<void> {
    await this.#registry.writeNote(`${APPROVED[of]}${server}`, JSON.stringify(Object.fromEntries(hashes)));
  }

  #write(): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#registry.writeNote(NOTE, JSON.stringify(Object.fromEntries(this.#notes))))
      .catch((error) => this.#onFailure(error));
    return this.#writing;
  }
}

/** The time at which a server's tools became possibly outdated; stored with the tools, so that it survives a restart. */
export class StaleMark {
  readonly #server: string;
  readonly #notes: ServerNotes;
  #since: number | undefined;

  constructor(server: string, notes: ServerNotes) {
    this.#server = server;
    this.#notes = notes;
    this.#since = notes.get(server).staleSince;
  }

  /** Milliseconds since the epoch; undefined for current tools. */
  get since(): number | undefined {
    return this.#since;
  }

  /** From then on, unless they are stale already. */
  set(since: number): void {
    if (this.#since === undefined) this.#write(since);
  }

  clear(): void {
    if (this.#since !== undefined) this.#write(undefined);
  }

  #write(since: number | undefined): void {
    this.#since = since;
    const { staleSince: _, ...note } = this.#notes.get(this.#server);
    void this.#notes.set(this.#server, since === undefined ? note : { ...note, staleSince: since });
  }
}

/** Ids of pending definitions, with the digests that were looked at, if they are known; undefined for all that are pending. */
export type Reviewed = ReadonlyMap<string, string | undefined> | undefined;

/** Returns the pending definitions that were reviewed as they are now. */
export function reviewedAmong(
  pending: readonly PendingDefinition[],
  reviewed: Reviewed,
): PendingDefinition[] {
  return pending.filter(({ id, after }) => {
    const digest = reviewed?.get(id);
    return reviewed === undefined || (reviewed.has(id) && (digest === undefined || digest === after));
  });
}
