import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Change } from '../../changes/change-history.ts';
import type { StoredTool } from '../../model/tool.ts';
import type { Epoch, RegistryStore, ScopeContent, ScopeStore, TransactionOutcome } from '../store.ts';
import { fromRow, readPages, StoreError, TOOLS_PER_READ, toRow } from '../store.ts';
import type {
  Answer,
  DatabaseFailure,
  Greeting,
  OpenedScope,
  QueryName,
  Question,
  RegistryQueries,
  WrittenChange,
} from './registry-database.ts';

/** Options of the store. */
export interface SqliteOptions {
  /** The file; created with its folder when missing. */
  readonly file: string;
  readonly makeEpoch: () => Epoch;
  /** Another program for the thread, for tests and benches with slow or full disks. */
  readonly program?: URL;
}

/**
 * Creates a store in one SQLite file, with Node's built-in SQLite in a separate thread.
 *
 * For one process: the file is locked while it is open. Rejects with a `StoreError` when it is damaged or cannot be opened.
 */
export async function createSqliteStore({ file, makeEpoch, program }: SqliteOptions): Promise<RegistryStore> {
  const thread = await startThread(program ?? new URL('./database-thread.ts', import.meta.url), file);
  const scopes = new Map<string, Promise<ScopeStore>>();
  return {
    kind: 'sqlite',
    openScope(name) {
      const known = scopes.get(name) ?? openScope(thread, name, makeEpoch());
      scopes.set(name, known);
      return known;
    },
    close: () => thread.close(),
  };
}

async function openScope(thread: DatabaseThread, name: string, newEpoch: Epoch): Promise<ScopeStore> {
  return new SqliteScope(thread, await thread.ask('openScope', name, newEpoch));
}

class SqliteScope implements ScopeStore {
  readonly epoch: Epoch;
  readonly #thread: DatabaseThread;
  readonly #scope: number;
  #version: number;
  #toolCount: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(thread: DatabaseThread, { scope, epoch, version, toolCount }: OpenedScope) {
    this.#thread = thread;
    this.#scope = scope;
    this.epoch = epoch;
    this.#version = version;
    this.#toolCount = toolCount;
  }

  async load(onTools?: (tools: readonly StoredTool[]) => void): Promise<ScopeContent> {
    const tools: StoredTool[] = [];
    for await (const page of readPages((after) =>
      this.#thread.ask('tools', this.#scope, after, TOOLS_PER_READ),
    )) {
      for (const tool of page) tools.push(tool);
      onTools?.(page);
    }
    const history = await this.#thread.ask('history', this.#scope);
    return { version: this.#version, tools, history };
  }

  transact(work: Parameters<ScopeStore['transact']>[0]): Promise<TransactionOutcome> {
    const run = this.#last.then(() => this.#transact(work));
    this.#last = run.catch(() => {});
    return run;
  }

  countCalls(day: string, calls: ReadonlyMap<string, number>): Promise<void> {
    return this.#thread.ask('countCalls', this.#scope, day, calls);
  }

  callsBetween(firstDay: string, lastDay: string): Promise<ReadonlyMap<string, number>> {
    return this.#thread.ask('callsBetween', this.#scope, firstDay, lastDay);
  }

  readNote(name: string): Promise<string | undefined> {
    return this.#thread.ask('readNote', this.#scope, name);
  }

  writeNote(name: string, value: string): Promise<void> {
    return this.#thread.ask('writeNote', this.#scope, name, value);
  }

  async #transact(work: Parameters<ScopeStore['transact']>[0]): Promise<TransactionOutcome> {
    const { changes, toolCount, keepFrom } = await work({
      version: this.#version,
      toolCount: this.#toolCount,
      read: async (ids) => {
        const rows = await this.#thread.ask('read', this.#scope, ids);
        return new Map(rows.map((row) => [row.id, fromRow(row)]));
      },
    });
    const last = changes.at(-1);
    if (last === undefined) return { ok: true };
    try {
      const writes = { changes: changes.map(toWritten), toolCount, keepFrom };
      await this.#thread.ask('write', this.#scope, writes);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      return { ok: false, code: error.failure === 'full' ? 'storage_full' : 'storage_unavailable' };
    }
    this.#version = last.version;
    this.#toolCount = toolCount;
    return { ok: true };
  }
}

function toWritten({ version, at, events, upserts, removals }: Change): WrittenChange {
  return { version, at, events: JSON.stringify(events), upserts: upserts.map(toRow), removals };
}

/** A request that the database could not execute. */
class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly failure: DatabaseFailure;

  constructor(failure: DatabaseFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

interface Asked {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread that holds the file open. */
class DatabaseThread {
  readonly #worker: Worker;
  readonly #asked = new Map<number, Asked>();
  #count = 0;
  #hasEnded = false;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (answer: Answer) => this.#settle(answer));
    // Rejects all pending requests; the thread accepts no more.
    worker.on('error', () => this.#end());
    worker.on('exit', () => this.#end());
  }

  ask<Name extends QueryName>(
    query: Name,
    ...values: Parameters<RegistryQueries[Name]>
  ): Promise<ReturnType<RegistryQueries[Name]>> {
    if (this.#hasEnded) return Promise.reject(new DatabaseError('failed', 'The database is closed.'));
    const number = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      this.#worker.postMessage({ number, request: { query, values } } satisfies Question);
    });
  }

  /** Resolves when all requests are done and the file is closed. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#worker, 'exit');
    this.#worker.postMessage('close');
    await ended;
  }

  #settle(answer: Answer): void {
    const asked = this.#asked.get(answer.number);
    this.#asked.delete(answer.number);
    if (answer.ok) asked?.resolve(answer.value as never);
    else asked?.reject(new DatabaseError(answer.failure, answer.message));
  }

  #end(): void {
    this.#hasEnded = true;
    const error = new DatabaseError('failed', 'The thread of the database has ended.');
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }
}

/** Returns Node's preload options, such as an instrument's, for the thread to load as well. */
function preloads(nodeOptions: readonly string[]): readonly string[] {
  return nodeOptions.filter(
    (option, index) =>
      /^(--import|--require|-r)(=|$)/.test(option) ||
      /^(--import|--require|-r)$/.test(nodeOptions[index - 1] ?? ''),
  );
}

async function startThread(program: URL, file: string): Promise<DatabaseThread> {
  // Silences Node's warning that its SQLite is experimental; the version is pinned.
  const worker = new Worker(program, {
    workerData: file,
    execArgv: [...preloads(process.execArgv), '--disable-warning=ExperimentalWarning'],
  });
  const [greeting] = (await once(worker, 'message')) as [Greeting];
  if (!greeting.opened) {
    await worker.terminate();
    throw new StoreError(greeting.code, greeting.message);
  }
  return new DatabaseThread(worker);
}
