import type { Client, Pool, PoolClient } from 'pg';
import { StoreError } from '../store.ts';

/** A database connection. */
export type Connection = Pick<PoolClient, 'query'>;

export interface ConnectionOptions {
  /** Such as `postgres://user:password@host:5432/database?sslmode=verify-full`. */
  readonly url: string;
  /** Time limit of connecting and of each statement, in milliseconds. */
  readonly timeoutMs: number;
  /** Most connections of this process, in addition to the listening one. */
  readonly maxConnections: number;
}

/**
 * Opens a pool of connections. Only this file loads the client library, and only when Postgres is used.
 *
 * A broken connection fails its next statement and is replaced. Error listeners are needed because an unhandled error of
 * an idle connection would end the process.
 */
export async function openPool({ url, timeoutMs, maxConnections }: ConnectionOptions): Promise<Pool> {
  const pg = await loadLibrary();
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    // Ends transactions on the server when this process dies or hangs.
    idle_in_transaction_session_timeout: timeoutMs,
    max: maxConnections,
    application_name: 'winnow-registry',
    // Compiling these short statements would take longer than running them.
    onConnect: async (client) => {
      await client.query('SET jit = off');
    },
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function loadLibrary() {
  try {
    return (await import('pg')).default;
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StoreError(
      'unreachable',
      'Postgres needs a package that is not installed: npm install pg@8',
      error,
    );
  }
}

/** Creates a separate connection that is not connected yet. */
export async function makeClient({ url, timeoutMs }: ConnectionOptions): Promise<Client> {
  const pg = await loadLibrary();
  return new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    application_name: 'winnow-registry',
  });
}

/** Runs `work` in one transaction, which is rolled back when `work` rejects or the connection breaks. */
export async function inTransaction<Value>(
  pool: Pool,
  begin: string,
  work: (connection: Connection) => Promise<Value>,
): Promise<Value> {
  const connection = await pool.connect();
  let isBroken = true;
  try {
    await connection.query(begin);
    const value = await work(connection);
    await connection.query('COMMIT');
    isBroken = false;
    return value;
  } catch (error) {
    isBroken = await connection.query('ROLLBACK').then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    connection.release(isBroken);
  }
}

/** Whether the disk or memory is full: https://www.postgresql.org/docs/current/errcodes-appendix.html, class 53. */
export function isFull(error: unknown): boolean {
  return ['53100', '53200'].includes(codeOf(error));
}

/** Whether an error comes from the database or its connection, not from our code. */
export function isOfDatabase(error: unknown): boolean {
  return codeOf(error) !== '' || /connection|timeout|terminated/i.test((error as Error).message);
}

/** Creates the error of an unusable database. Omits the address, which may hold a password. */
export function unreachable(error: unknown): StoreError {
  const code = codeOf(error) || (error as Error).name;
  return new StoreError('unreachable', `The Postgres database cannot be used (${code}).`, error);
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

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
