import { type ConnectionOptions, makeClient } from './connection.ts';

/** Channel between instances, which carries the number of a changed scope. */
export const CHANNEL = 'winnow_registry';

/** Delay between a lost connection and the next attempt, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Learns from the database which scopes have changed, by `LISTEN` on a separate connection. Reconnects after a loss, and
 * then notifies all listeners, as news may have been missed.
 */
export class News {
  readonly #options: ConnectionOptions;
  readonly #listeners = new Map<number, Set<() => void>>();
  #stop = () => {};
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Rejects when the first connection fails. */
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
    // A retry must not keep the process alive.
    timer.unref();
    this.#stop = () => clearTimeout(timer);
  }
}
