import type { Pool } from 'pg';
import type { Change, HistoryEntry } from '../../changes/change-history.ts';
import type { StoredTool } from '../../model/tool.ts';
import {
  type CatchUp,
  type Epoch,
  fromRow,
  KEPT_DAYS,
  type RegistryStore,
  readPages,
  type ScopeContent,
  type ScopeStore,
  type SharedScope,
  StoreError,
  TOOLS_PER_READ,
  type ToolRow,
  type TransactionOutcome,
  type TransactionWrites,
  toRow,
} from '../store.ts';
import {
  CHANNEL,
  type Connection,
  type ConnectionOptions,
  inTransaction,
  isFull,
  isOfDatabase,
  News,
  openPool,
  unreachable,
} from './connection.ts';

/** Options of the store. */
export interface PostgresOptions extends Pick<ConnectionOptions, 'url'> {
  readonly makeEpoch: () => Epoch;
  /** 10 seconds by default. */
  readonly timeoutMs?: number;
  /** 5 by default. */
  readonly maxConnections?: number;
}

const DEFAULTS = { timeoutMs: 10_000, maxConnections: 5 } as const;

/** Begins a transaction that reads one snapshot. */
const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * Creates a store in a Postgres database, for any number of instances. A change holds a lock on the row of its scope, so
 * versions have no gaps, and the database notifies the other instances.
 *
 * Rejects with a `StoreError` when the database cannot be used. Creates missing tables; their names begin with
 * `winnow_registry_`.
 */
export async function createPostgresStore(options: PostgresOptions): Promise<RegistryStore> {
  const connecting = { ...DEFAULTS, ...options };
  const pool = await openPool(connecting);
  const news = new News(connecting);
  try {
    await setUp(pool);
    await news.open();
  } catch (error) {
    news.close();
    await pool.end();
    throw error instanceof StoreError ? error : unreachable(error);
  }
  let closed: Promise<void> | undefined;
  return {
    kind: 'postgres',
    openScope: (name) => openScope({ pool, news }, name, options.makeEpoch()),
    close() {
      news.close();
      closed ??= pool.end();
      return closed;
    },
  };
}

async function setUp(pool: Pool): Promise<void> {
  await inTransaction(pool, 'BEGIN', async (connection) => {
    await connection.query('SELECT pg_advisory_xact_lock($1)', [SETUP_LOCK]);
    await connection.query(TABLES);
    await connection.query(
      'INSERT INTO winnow_registry_format SELECT $1 WHERE NOT EXISTS (SELECT FROM winnow_registry_format)',
      [FORMAT],
    );
    const { rows } = await connection.query<{ format: number }>('SELECT format FROM winnow_registry_format');
    if (rows[0]!.format > FORMAT) {
      throw new StoreError('too_new', 'The Postgres database was written by a later version of Winnow.');
    }
    await connection.query('UPDATE winnow_registry_format SET format = $1', [FORMAT]);
  });
}

/** Connections shared by the scopes of one store. */
interface Connections {
  readonly pool: Pool;
  readonly news: News;
}

async function openScope(connections: Connections, name: string, newEpoch: Epoch): Promise<ScopeStore> {
  const { pool } = connections;
  await pool.query(
    'INSERT INTO winnow_registry_scopes (name, epoch, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [name, newEpoch.id, newEpoch.key],
  );
  const { rows } = await pool.query<{ id: number; epoch: string; key: string }>(
    'SELECT id, epoch, key FROM winnow_registry_scopes WHERE name = $1',
    [name],
  );
  const { id, epoch, key } = rows[0]!;
  return new PostgresScope(connections, id, { id: epoch, key });
}

class PostgresScope implements ScopeStore {
  readonly epoch: Epoch;
  readonly shared: SharedScope;
  readonly #pool: Pool;
  readonly #scope: number;

  constructor({ pool, news }: Connections, scope: number, epoch: Epoch) {
    this.#pool = pool;
    this.#scope = scope;
    this.epoch = epoch;
    this.shared = {
      changesSince: (version) => this.#changesSince(version),
      onNews: (listener) => news.listen(scope, listener),
    };
  }

  load(onTools?: (tools: readonly StoredTool[]) => void): Promise<ScopeContent> {
    return inTransaction(this.#pool, SNAPSHOT, async (connection) => {
      const version = await this.#readVersion(connection);
      const tools: StoredTool[] = [];
      for await (const page of readAllTools(connection, this.#scope)) {
        for (const tool of page) tools.push(tool);
        onTools?.(page);
      }
      return { version, tools, history: await this.#readHistory(connection, 0) };
    });
  }

  async transact(work: Parameters<ScopeStore['transact']>[0]): Promise<TransactionOutcome> {
    try {
      await inTransaction(this.#pool, 'BEGIN', async (connection) => {
        // Locks the scope until the end of the transaction.
        const { rows } = await connection.query<{ version: string; tools: number }>(
          'SELECT version, tools FROM winnow_registry_scopes WHERE id = $1 FOR UPDATE',
          [this.#scope],
        );
        const { version, tools } = rows[0]!;
        const writes = await work({
          version: Number(version),
          toolCount: tools,
          read: async (ids) =>
            new Map((await this.#readTools(connection, ids)).map((tool) => [tool.id, tool])),
        });
        await this.#write(connection, writes);
      });
      return { ok: true };
    } catch (error) {
      if (!isOfDatabase(error)) throw error;
      return { ok: false, code: isFull(error) ? 'storage_full' : 'storage_unavailable' };
    }
  }

  async countCalls(day: string, calls: ReadonlyMap<string, number>): Promise<void> {
    // Sorted, so that two instances cannot deadlock.
    const entries = [...calls].sort(([a], [b]) => (a < b ? -1 : 1));
    await this.#pool.query(
      `INSERT INTO winnow_registry_calls AS known (scope, day, tool, calls)
       SELECT $1, $2, * FROM unnest($3::text[], $4::bigint[])
       ON CONFLICT (scope, day, tool) DO UPDATE SET calls = known.calls + excluded.calls`,
      [this.#scope, day, entries.map(([tool]) => tool), entries.map(([, count]) => count)],
    );
    await this.#pool.query(
      'DELETE FROM winnow_registry_calls WHERE scope = $1 AND day < $2::date - $3::integer',
      [this.#scope, day, KEPT_DAYS],
    );
  }

  async callsBetween(firstDay: string, lastDay: string): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#pool.query<{ tool: string; calls: string }>(
      'SELECT tool, sum(calls) AS calls FROM winnow_registry_calls WHERE scope = $1 AND day BETWEEN $2 AND $3 GROUP BY tool',
      [this.#scope, firstDay, lastDay],
    );
    return new Map(rows.map(({ tool, calls }) => [tool, Number(calls)]));
  }

  async readNote(name: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ value: string }>(
      'SELECT value FROM winnow_registry_notes WHERE scope = $1 AND name = $2',
      [this.#scope, name],
    );
    return rows[0]?.value;
  }

  async writeNote(name: string, value: string): Promise<void> {
    await this.#pool.query(
      `INSERT INTO winnow_registry_notes (scope, name, value) VALUES ($1, $2, $3)
       ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value`,
      [this.#scope, name, value],
    );
  }

  #changesSince(version: number): Promise<CatchUp | undefined> {
    return inTransaction(this.#pool, SNAPSHOT, async (connection) => {
      const newest = await this.#readVersion(connection);
      if (newest === version) return { version, history: [], upserts: [], removals: [] };
      const history = await this.#readHistory(connection, version);
      if (history[0]?.version !== version + 1 || history.at(-1)!.version !== newest) return undefined;
      const touched = new Set(history.flatMap(({ events }) => events.flatMap(({ id }) => id ?? [])));
      const upserts = await this.#readTools(connection, [...touched]);
      for (const { id } of upserts) touched.delete(id);
      return { version: newest, history, upserts, removals: [...touched] };
    });
  }

  async #readVersion(connection: Connection): Promise<number> {
    const { rows } = await connection.query<{ version: string }>(
      'SELECT version FROM winnow_registry_scopes WHERE id = $1',
      [this.#scope],
    );
    return Number(rows[0]!.version);
  }

  async #readHistory(connection: Connection, behind: number): Promise<readonly HistoryEntry[]> {
    const { rows } = await connection.query<{ version: string; at: string; events: string }>(
      'SELECT version, at, events FROM winnow_registry_changes WHERE scope = $1 AND version > $2 ORDER BY version',
      [this.#scope, behind],
    );
    return rows.map(({ version, at, events }) => ({
      version: Number(version),
      at: Number(at),
      events: JSON.parse(events),
    }));
  }

  async #readTools(connection: Connection, ids: readonly string[]): Promise<readonly StoredTool[]> {
    const { rows } = await connection.query<ToolRow>(
      'SELECT id, definition, rest FROM winnow_registry_tools WHERE scope = $1 AND id = ANY($2)',
      [this.#scope, ids],
    );
    return rows.map(fromRow);
  }

  async #write(connection: Connection, { changes, toolCount, keepFrom }: TransactionWrites): Promise<void> {
    const last = changes.at(-1);
    if (last === undefined) return;
    await writeTools(connection, this.#scope, changes);
    await connection.query(
      'INSERT INTO winnow_registry_changes (scope, version, at, events) SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[])',
      [
        this.#scope,
        changes.map(({ version }) => version),
        changes.map(({ at }) => at),
        changes.map(({ events }) => JSON.stringify(events)),
      ],
    );
    await connection.query('DELETE FROM winnow_registry_changes WHERE scope = $1 AND version < $2', [
      this.#scope,
      keepFrom,
    ]);
    await connection.query('UPDATE winnow_registry_scopes SET version = $2, tools = $3 WHERE id = $1', [
      this.#scope,
      last.version,
      toolCount,
    ]);
    // Delivered on commit, and not at all after a rollback.
    await connection.query('SELECT pg_notify($1, $2)', [CHANNEL, String(this.#scope)]);
  }
}

/** Yields all tools of a scope in order of id, a thousand at a time. */
function readAllTools(connection: Connection, scope: number): AsyncGenerator<readonly StoredTool[]> {
  return readPages(async (after) => {
    const { rows } = await connection.query<ToolRow>(
      'SELECT id, definition, rest FROM winnow_registry_tools WHERE scope = $1 AND id > $2 ORDER BY id LIMIT $3',
      [scope, after, TOOLS_PER_READ],
    );
    return rows;
  });
}

/** Writes the outcome of the changes, each tool once. */
export async function writeTools(
  connection: Connection,
  scope: number,
  changes: readonly Change[],
): Promise<void> {
  const outcome = new Map<string, StoredTool | undefined>();
  for (const { upserts, removals } of changes) {
    for (const tool of upserts) outcome.set(tool.id, tool);
    for (const id of removals) outcome.set(id, undefined);
  }
  const tools = [...outcome.values()].filter((tool) => tool !== undefined);
  const gone = [...outcome].filter(([, tool]) => tool === undefined).map(([id]) => id);
  if (gone.length > 0) {
    await connection.query('DELETE FROM winnow_registry_tools WHERE scope = $1 AND id = ANY($2)', [
      scope,
      gone,
    ]);
  }
  if (tools.length === 0) return;
  const rows = tools.map(toRow);
  await connection.query(
    `INSERT INTO winnow_registry_tools (scope, id, definition, rest)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[])
     ON CONFLICT (scope, id) DO UPDATE SET definition = excluded.definition, rest = excluded.rest`,
    [scope, rows.map(({ id }) => id), rows.map(({ definition }) => definition), rows.map(({ rest }) => rest)],
  );
}

/** Version of the tables. A later program wrote a database with a higher one. */
export const FORMAT = 2;

/** Lock for creating the tables, so that instances that start together do not create them twice. An arbitrary number. */
const SETUP_LOCK = 8_789_001;

/** Statements that create the tables. Ids are compared by their bytes, as in the process. */
export const TABLES = `
  CREATE TABLE IF NOT EXISTS winnow_registry_format (format integer NOT NULL);
  CREATE TABLE IF NOT EXISTS winnow_registry_scopes (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    epoch text NOT NULL,
    key text NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    tools integer NOT NULL DEFAULT 0
  );
  CREATE TABLE IF NOT EXISTS winnow_registry_tools (
    scope integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    definition text NOT NULL,
    rest text NOT NULL,
    PRIMARY KEY (scope, id)
  );
  CREATE TABLE IF NOT EXISTS winnow_registry_changes (
    scope integer NOT NULL,
    version bigint NOT NULL,
    at bigint NOT NULL,
    events text NOT NULL,
    PRIMARY KEY (scope, version)
  );
  CREATE TABLE IF NOT EXISTS winnow_registry_calls (
    scope integer NOT NULL,
    day date NOT NULL,
    tool text COLLATE "C" NOT NULL,
    calls bigint NOT NULL,
    PRIMARY KEY (scope, day, tool)
  );
  CREATE TABLE IF NOT EXISTS winnow_registry_notes (
    scope integer NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (scope, name)
  );
`;
