import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { HistoryEntry } from '../../changes/change-history.ts';
import type { ToolRow } from '../store.ts';
import { type Epoch, KEPT_DAYS, StoreError } from '../store.ts';

/** Version of the tables. A later program wrote a database with a higher one. */
const FORMAT = 1;

const TABLES = `
  CREATE TABLE scopes (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, key TEXT NOT NULL,
    version INTEGER NOT NULL, tools INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE tools (
    scope INTEGER NOT NULL, id TEXT NOT NULL, definition TEXT NOT NULL, rest TEXT NOT NULL, UNIQUE (scope, id)
  ) STRICT;
  CREATE TABLE changes (
    scope INTEGER NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL, events TEXT NOT NULL,
    PRIMARY KEY (scope, version)
  ) STRICT;
  CREATE TABLE calls (
    scope INTEGER NOT NULL, day TEXT NOT NULL, tool TEXT NOT NULL, calls INTEGER NOT NULL,
    PRIMARY KEY (scope, day, tool)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE notes (
    scope INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (scope, name)
  ) STRICT, WITHOUT ROWID;
`;

/** Changes of one scope, written atomically. */
interface ScopeWrites {
  readonly changes: readonly WrittenChange[];
  readonly toolCount: number;
  readonly keepFrom: number;
}

/** A change with its parts as texts. */
export interface WrittenChange {
  readonly version: number;
  readonly at: number;
  readonly events: string;
  readonly upserts: readonly ToolRow[];
  readonly removals: readonly string[];
}

/** A stored scope. */
export interface OpenedScope {
  readonly scope: number;
  readonly epoch: Epoch;
  readonly version: number;
  readonly toolCount: number;
}

export type QueryName = keyof RegistryQueries;

/** A request to the database's thread: a query with its values. */
interface DatabaseRequest {
  readonly query: QueryName;
  readonly values: readonly unknown[];
}

type Row = Readonly<Record<string, SQLOutputValue>>;

/**
 * A registry's SQLite file. Synchronous, so it belongs in a separate thread.
 *
 * Every commit is on disk before it is confirmed, by a synced write-ahead log (`synchronous=FULL`). The file is locked
 * against other processes while it is open.
 */
export class RegistryDatabase {
  readonly #database: DatabaseSync;
  readonly #queries: RegistryQueries;

  /** Opens the file; creates it when missing. Throws a `StoreError`. */
  constructor(file: string) {
    this.#database = openFile(file);
    this.#queries = new RegistryQueries(this.#database);
    try {
      this.#prepare(file);
    } catch (error) {
      this.#database.close();
      throw error instanceof StoreError ? error : toStoreError(file, error);
    }
  }

  /** Executes requests in one transaction, each atomically; returns the value or error of each. */
  answerTogether(requests: readonly DatabaseRequest[]): readonly { value?: unknown; error?: unknown }[] {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const answers = requests.map((request) => this.#answerApart(request));
      this.#database.exec('COMMIT');
      return answers;
    } catch (error) {
      this.#rollBack();
      return requests.map(() => ({ error }));
    }
  }

  close(): void {
    this.#database.close();
  }

  #prepare(file: string): void {
    const run = (text: string) => this.#database.exec(text);
    run('PRAGMA locking_mode = EXCLUSIVE');
    run('PRAGMA journal_mode = WAL');
    run('PRAGMA synchronous = FULL');
    // The first transaction takes the lock, which is kept.
    run('BEGIN IMMEDIATE; COMMIT');
    const { integrity_check: found } = this.#database.prepare('PRAGMA integrity_check(1)').get() as Row;
    if (found !== 'ok') throw damaged(file);
    const { user_version: format } = this.#database.prepare('PRAGMA user_version').get() as Row;
    if (Number(format) > FORMAT) {
      const message = `${file} was written by a later version of Winnow: run that version, or name another file.`;
      throw new StoreError('too_new', message);
    }
    if (format === 0) run(`BEGIN; ${TABLES} PRAGMA user_version = ${FORMAT}; COMMIT`);
  }

  #answerApart({ query, values }: DatabaseRequest): { value?: unknown; error?: unknown } {
    this.#database.exec('SAVEPOINT request');
    try {
      const value: unknown = Reflect.apply(this.#queries[query], this.#queries, values);
      this.#database.exec('RELEASE request');
      return { value };
    } catch (error) {
      // Some errors end the whole transaction, so all requests fail.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec('ROLLBACK TO request; RELEASE request');
      return { error };
    }
  }

  #rollBack(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}

/** The queries of a registry's file. Each method is a request of the database's thread. */
export class RegistryQueries {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  openScope(name: string, newEpoch: Epoch): OpenedScope {
    this.#sql(
      'INSERT INTO scopes (name, epoch, key, version, tools) VALUES (?, ?, ?, 0, 0) ON CONFLICT DO NOTHING',
    ).run(name, newEpoch.id, newEpoch.key);
    const row = this.#sql('SELECT id, epoch, key, version, tools FROM scopes WHERE name = ?').get(name)!;
    return {
      scope: row.id as number,
      epoch: { id: row.epoch as string, key: row.key as string },
      version: row.version as number,
      toolCount: row.tools as number,
    };
  }

  tools(scope: number, after: string, limit: number): readonly ToolRow[] {
    return this.#sql(
      'SELECT id, definition, rest FROM tools WHERE scope = ? AND id > ? ORDER BY id LIMIT ?',
    ).all(scope, after, limit) as unknown as ToolRow[];
  }

  history(scope: number): readonly HistoryEntry[] {
    const rows = this.#sql('SELECT version, at, events FROM changes WHERE scope = ? ORDER BY version').all(
      scope,
    );
    return rows.map((row) => ({
      version: row.version as number,
      at: row.at as number,
      events: JSON.parse(row.events as string),
    }));
  }

  read(scope: number, ids: readonly string[]): readonly ToolRow[] {
    const tool = this.#sql('SELECT id, definition, rest FROM tools WHERE scope = ? AND id = ?');
    return ids.flatMap((id) => (tool.get(scope, id) as ToolRow | undefined) ?? []);
  }

  write(scope: number, { changes, toolCount, keepFrom }: ScopeWrites): void {
    for (const { version, at, events, upserts, removals } of changes) {
      for (const { id, definition, rest } of upserts) {
        this.#sql(
          'INSERT INTO tools (scope, id, definition, rest) VALUES (?, ?, ?, ?) ON CONFLICT (scope, id) DO UPDATE SET definition = excluded.definition, rest = excluded.rest',
        ).run(scope, id, definition, rest);
      }
      for (const id of removals) this.#sql('DELETE FROM tools WHERE scope = ? AND id = ?').run(scope, id);
      this.#sql('INSERT INTO changes (scope, version, at, events) VALUES (?, ?, ?, ?)').run(
        scope,
        version,
        at,
        events,
      );
    }
    const last = changes.at(-1);
    if (last === undefined) return;
    this.#sql('UPDATE scopes SET version = ?, tools = ? WHERE id = ?').run(last.version, toolCount, scope);
    this.#sql('DELETE FROM changes WHERE scope = ? AND version < ?').run(scope, keepFrom);
  }

  countCalls(scope: number, day: string, calls: ReadonlyMap<string, number>): void {
    for (const [tool, count] of calls) {
      this.#sql(
        'INSERT INTO calls (scope, day, tool, calls) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls',
      ).run(scope, day, tool, count);
    }
    this.#sql("DELETE FROM calls WHERE scope = ? AND day < date(?, '-' || ? || ' days')").run(
      scope,
      day,
      KEPT_DAYS,
    );
  }

  callsBetween(scope: number, firstDay: string, lastDay: string): ReadonlyMap<string, number> {
    const rows = this.#sql(
      'SELECT tool, sum(calls) AS calls FROM calls WHERE scope = ? AND day BETWEEN ? AND ? GROUP BY tool',
    ).all(scope, firstDay, lastDay);
    return new Map(rows.map((row) => [row.tool as string, row.calls as number]));
  }

  readNote(scope: number, name: string): string | undefined {
    const note = this.#sql('SELECT value FROM notes WHERE scope = ? AND name = ?').get(scope, name);
    return note?.value as string | undefined;
  }

  writeNote(scope: number, name: string, value: string): void {
    this.#sql('INSERT OR REPLACE INTO notes (scope, name, value) VALUES (?, ?, ?)').run(scope, name, value);
  }

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, known);
    return known;
  }
}

/** Whether an error means that the disk is full: https://www.sqlite.org/rescode.html#full */
export function isFull(error: unknown): boolean {
  return errorCode(error) === SQLITE.full;
}

const SQLITE = { busy: 5, corrupt: 11, full: 13, notADatabase: 26 } as const;

function errorCode(error: unknown): number {
  // The low byte is the primary code.
  return Number((error as { errcode?: number }).errcode ?? 0) & 0xff;
}

function openFile(file: string): DatabaseSync {
  try {
    mkdirSync(dirname(file), { recursive: true });
    // Readable by its owner only: it holds the key that authenticates cursors.
    closeSync(openSync(file, 'a', 0o600));
    return new DatabaseSync(file);
  } catch (error) {
    throw toStoreError(file, error);
  }
}

function damaged(file: string, cause?: unknown): StoreError {
  const message = `${file} is damaged: restore a backup, or move the file away to start with an empty registry.`;
  return new StoreError('damaged', message, cause);
}

function toStoreError(file: string, error: unknown): StoreError {
  switch (errorCode(error)) {
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return damaged(file, error);
    case SQLITE.busy:
      return new StoreError(
        'in_use',
        `${file} is in use by another process: stop that process, or name another file.`,
        error,
      );
    default: {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      return new StoreError('unreachable', `${file} cannot be opened as a database (${code}).`, error);
    }
  }
}

export interface Question {
  readonly number: number;
  readonly request: DatabaseRequest;
}

/** Reasons of a failed request. A full disk changes nothing else. */
export type DatabaseFailure = 'full' | 'failed';

export type Answer =
  | { readonly number: number; readonly ok: true; readonly value: unknown }
  | {
      readonly number: number;
      readonly ok: false;
      readonly failure: DatabaseFailure;
      readonly message: string;
    };

/** The thread's first message: the database is open, or the reason that it is not. */
export type Greeting =
  | { readonly opened: true }
  | {
      readonly opened: false;
      readonly code: 'damaged' | 'in_use' | 'too_new' | 'unreachable';
      readonly message: string;
    };
