import type { ServerNotes } from './server-notes.ts';

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
