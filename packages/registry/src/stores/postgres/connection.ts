import type { Client, Pool, PoolClient } from 'pg';
import { StoreError } from '../store-error.ts';

/** A connection that is asked. */
export type Connection = Pick<PoolClient, 'query'>;

/** How to reach a database. */
export interface ConnectionOptions {
  /** Such as `postgres://user:password@host:5432/database?sslmode=verify-full`. */
  readonly url: string;
  /** How long connecting and each statement may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Most connections of this process, beside the one that listens. */
  readonly maxConnections: number;
}

/**
 * A pool of connections. The client library is loaded in this file and nowhere else, and only where Postgres is used.
 *
 * A connection that breaks tells whoever asks it something next, and is replaced: idle, or lent and between two statements, where an error
 * that nobody hears would end the process.
 */
export async function openPool({ url, timeoutMs, maxConnections }: ConnectionOptions): Promise<Pool> {
  const pg = await loadLibrary();
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    // The server gives up as well when this process dies or hangs in the middle of a transaction.
    idle_in_transaction_session_timeout: timeoutMs,
    max: maxConnections,
    application_name: 'winnow-registry',
    // Statements here are short: compiling them first would take longer than running them.
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

/** A connection of its own, not connected yet. */
export async function makeClient({ url, timeoutMs }: ConnectionOptions): Promise<Client> {
  const pg = await loadLibrary();
  return new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    application_name: 'winnow-registry',
  });
}

/** Runs in one transaction: what is done is done whole, or not at all when `work` rejects or the connection breaks. */
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

/** Whether an error says that there is no room left: https://www.postgresql.org/docs/current/errcodes-appendix.html, class 53. */
export function isFull(error: unknown): boolean {
  return ['53100', '53200'].includes(codeOf(error));
}

/** Whether an error comes from the database or the way to it, and is none of ours. */
export function isOfDatabase(error: unknown): boolean {
  return codeOf(error) !== '' || /connection|timeout|terminated/i.test((error as Error).message);
}

/** Why the database cannot be used. The address may hold a password, and is not repeated. */
export function unreachable(error: unknown): StoreError {
  const code = codeOf(error) || (error as Error).name;
  return new StoreError('unreachable', `The Postgres database cannot be used (${code}).`, error);
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
