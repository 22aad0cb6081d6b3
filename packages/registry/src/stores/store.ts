import type { Change } from '../changes/change.ts';
import type { StoredTool } from '../model/tool.ts';
import type { SearchEngine } from '../search/search-engine.ts';

/** One life of a scope's content. */
export interface Epoch {
  /** Random, and public. */
  readonly id: string;
  /** A secret of this life, in hexadecimal: authenticates cursors. */
  readonly key: string;
}

/** The content of a scope at one moment. */
export interface ScopeContent {
  readonly version: number;
  readonly tools: readonly StoredTool[];
  /** The newest changes, oldest first, each with its events and without its tools; as many as are kept. */
  readonly history: readonly HistoryEntry[];
}

/** A change as followers see it. */
export type HistoryEntry = Pick<Change, 'version' | 'at' | 'events'>;

/** The newest content, held still until the transaction is over. */
export interface TransactionBase {
  readonly version: number;
  readonly toolCount: number;
  /** Those of the tools that exist. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, StoredTool>>;
}

/** What a transaction writes. */
export interface TransactionWrites {
  /** In order; the first has the version after the base's. None: nothing is written. */
  readonly changes: readonly Change[];
  /** Tools of the scope afterwards. */
  readonly toolCount: number;
  /** History before this version may be forgotten. */
  readonly keepFrom: number;
}

export type TransactionOutcome =
  | { readonly ok: true }
  /** The disk is full, or nobody answers. Nothing was written. */
  | { readonly ok: false; readonly code: 'storage_full' | 'storage_unavailable' };

/**
 * Where one scope's content lives.
 *
 * Contract, proved for every store by `test/store-contract.ts`:
 * - `transact` runs alone in its scope, over all processes that share the store: nothing changes between what `work` reads and
 *   what is written. All of the writes are there afterwards, or none, whatever happens to the process or the machine meanwhile;
 *   what was confirmed stays. When `work` throws, nothing is written and the error is passed on.
 * - Tools that were written are read back equal in every field, JSON spelling included.
 * - Scopes know nothing of one another.
 */
export interface ScopeStore {
  readonly epoch: Epoch;
  /** @param onTools hears of the tools while others are still being read, each once and all of them before the end. Must not throw. */
  load(onTools?: (tools: readonly StoredTool[]) => void): Promise<ScopeContent>;
  transact(work: (base: TransactionBase) => Promise<TransactionWrites>): Promise<TransactionOutcome>;
  /** Adds calls of tools, by id, to those counted on a day, such as `2026-11-21`. */
  countCalls(day: string, calls: ReadonlyMap<string, number>): Promise<void>;
  /** Calls by tool from one day to another, both included. Days that are long past may be forgotten. */
  callsBetween(firstDay: string, lastDay: string): Promise<ReadonlyMap<string, number>>;
  /** A small value by its name, as it was last written. */
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, value: string): Promise<void>;
  /** Present when other processes may change the scope too. */
  readonly shared?: SharedScope;
  /** Present when the store can search what it keeps. */
  readonly engine?: SearchEngine;
}

/** What others have changed since a version, all of it at one moment. */
export interface CatchUp {
  readonly version: number;
  /** Every change behind the version that was asked for, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Tools that these changes touched, as they are now. */
  readonly upserts: readonly StoredTool[];
  /** Ids of tools that these changes touched and that are gone. */
  readonly removals: readonly string[];
}

/** How to follow a scope that other processes change too. */
export interface SharedScope {
  /** Undefined when not all of the history since then is kept: then everything must be loaded anew. */
  changesSince(version: number): Promise<CatchUp | undefined>;
  /** Calls when there may be something new; gives what ends that. May call too often, and may miss: ask now and then. */
  onNews(listener: () => void): () => void;
}

/** What the stores of one kind have in common. */
export interface RegistryStore {
  readonly kind: 'memory' | 'sqlite' | 'postgres';
  /** Opens a scope, and makes it when there is none of that name. */
  openScope(name: string): Promise<ScopeStore>;
  /** Waits for what is being written. */
  close(): Promise<void>;
}
