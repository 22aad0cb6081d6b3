import { type ConnectionOptions, makeClient } from './connection.ts';

/** What is told between instances: the number of a scope that has changed. */
export const CHANNEL = 'winnow_registry';

/** How long after a lost connection another one is tried, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Hears from the database which scopes have changed, by `LISTEN`, on a connection of its own. Where that is lost, it is tried again, and
 * everybody is told once it is there, as something may have been missed.
 */
export class News {
  readonly #options: ConnectionOptions;
  readonly #listeners = new Map<number, Set<() => void>>();
  #stop = () => {};
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Rejects when there is no connection to begin with. */
  async open(): Promise<void> {
    const client = await makeClient(this.#options);
    if (this.#isClosed) return;
    const lost = () => this.#retry();
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => this.#tell(Number(payload)));
    this.#stop = () => {
      client.off('error', lost);
      client.off('end', lost);
      client.on('error', () => {});
      void client.end().catch(() => {});
    };
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    for (const scope of this.#listeners.keys()) this.#tell(scope);
  }

  listen(scope: number, listener: () => void): () => void {
    const listeners = this.#listeners.get(scope) ?? new Set();
    this.#listeners.set(scope, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #tell(scope: number): void {
    for (const listener of this.#listeners.get(scope) ?? []) listener();
  }

  #retry(): void {
    this.#stop();
    this.#stop = () => {};
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      if (!this.#isClosed) this.open().catch(() => this.#retry());
    }, RETRY_MS);
    // Nobody waits for news when the process is done otherwise.
    timer.unref();
    this.#stop = () => clearTimeout(timer);
  }
}
