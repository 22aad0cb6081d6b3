import type { Change, HistoryEntry } from '../changes/change-history.ts';
import type { StoredTool } from '../model/tool.ts';

/** Days of kept call counts: the week that is read, and a few more for clock differences. */
export const KEPT_DAYS = 10;

/** The lifetime of a scope's content. */
export interface Epoch {
  /** Random, and public. */
  readonly id: string;
  /** A secret of this epoch, in hexadecimal, which authenticates cursors. */
  readonly key: string;
}

/** A snapshot of a scope. */
export interface ScopeContent {
  readonly version: number;
  readonly tools: readonly StoredTool[];
  /** The kept changes, oldest first, with their events but without tools. */
  readonly history: readonly HistoryEntry[];
}

/** The newest content, locked until the transaction ends. */
export interface TransactionBase {
  readonly version: number;
  readonly toolCount: number;
  /** Returns the tools that exist. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, StoredTool>>;
}

export interface TransactionWrites {
  /** Changes in order; the first has the version after the base. Without changes, nothing is written. */
  readonly changes: readonly Change[];
  /** Number of tools in the scope afterwards. */
  readonly toolCount: number;
  /** History before this version may be dropped. */
  readonly keepFrom: number;
}

export type TransactionOutcome =
  | { readonly ok: true }
  /** The disk is full, or the store does not respond. Nothing was written. */
  | { readonly ok: false; readonly code: 'storage_full' | 'storage_unavailable' };

/**
 * The storage of one scope.
 *
 * Contract, proved for every store by `test/store-contract.ts`:
 * - `transact` runs alone in its scope, across all processes that share the store: nothing changes between the reads of
 *   `work` and the writes. Writes are atomic, even if the process or machine fails; confirmed writes are durable. When
 *   `work` throws, nothing is written and the error is passed on.
 * - Tools are read back equal in every field, including the spelling of JSON.
 * - Scopes are isolated from one another.
 */
export interface ScopeStore {
  readonly epoch: Epoch;
  /** @param onTools Receives tools while others are still being read, each once and all before the end. Must not throw. */
  load(onTools?: (tools: readonly StoredTool[]) => void): Promise<ScopeContent>;
  transact(work: (base: TransactionBase) => Promise<TransactionWrites>): Promise<TransactionOutcome>;
  /** Adds to the call counts of a day, such as `2026-11-21`, by tool id. */
  countCalls(day: string, calls: ReadonlyMap<string, number>): Promise<void>;
  /** Returns the calls by tool in a range of days, both ends included. Old days may be dropped. */
  callsBetween(firstDay: string, lastDay: string): Promise<ReadonlyMap<string, number>>;
  /** Reads the last value written under a name. */
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, value: string): Promise<void>;
  /** Present when other processes may change the scope too. */
  readonly shared?: SharedScope;
}

/** The changes by other processes since a version, as one snapshot. */
export interface CatchUp {
  readonly version: number;
  /** Every change after the requested version, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Current state of the tools that these changes touched. */
  readonly upserts: readonly StoredTool[];
  /** Ids of tools that these changes removed. */
  readonly removals: readonly string[];
}

/** Access to a scope that other processes change too. */
export interface SharedScope {
  /** Returns the changes since a version; undefined when some are no longer kept, so everything must be reloaded. */
  changesSince(version: number): Promise<CatchUp | undefined>;
  /** Calls the listener on possible news; returns a function that stops it. May call too often or miss some, so poll as well. */
  onNews(listener: () => void): () => void;
}

/** A store of registries. */
export interface RegistryStore {
  readonly kind: 'memory' | 'sqlite' | 'postgres';
  /** Opens a scope; creates it when missing. */
  openScope(name: string): Promise<ScopeStore>;
  /** Waits for pending writes. */
  close(): Promise<void>;
}

/** The reasons that a store cannot be opened or read. */
export type StoreErrorCode =
  /** The file is damaged or not a database. */
  | 'damaged'
  /** Another process has it open. */
  | 'in_use'
  /** A later version of this program wrote it. */
  | 'too_new'
  /** It cannot be reached, created or read. */
  | 'unreachable';

/** A failure to open or read a store. The message names the place and a remedy. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

const DAY_MS = 86_400_000;

/** Returns the UTC day of a time, such as `2026-11-21`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Returns the 7 whole days before the day of a time; counts over them stay the same until the day ends. */
export function lastWholeWeek(at: number): { readonly firstDay: string; readonly lastDay: string } {
  return { firstDay: dayOf(at - 7 * DAY_MS), lastDay: dayOf(at - DAY_MS) };
}

/** Returns the 7 days up to and including the day of a time. */
export function lastSevenDays(at: number): { readonly firstDay: string; readonly lastDay: string } {
  return { firstDay: dayOf(at - 6 * DAY_MS), lastDay: dayOf(at) };
}

/** A stored tool as texts, for stores that keep rows. */
export interface ToolRow {
  readonly id: string;
  /** The definition as JSON text. */
  readonly definition: string;
  /** Everything else, as JSON. */
  readonly rest: string;
}

/** Converts a tool to its row. */
export function toRow(tool: StoredTool): ToolRow {
  const { id, definition, ...rest } = tool;
  return { id, definition, rest: JSON.stringify(rest) };
}

/** Converts a row of `toRow` back to its tool. */
export function fromRow({ id, definition, rest }: ToolRow): StoredTool {
  const parts = JSON.parse(rest) as Omit<StoredTool, 'id' | 'definition'>;
  // JSON omits undefined fields, and rows of earlier versions lack fields of servers.
  const { version, prefix, hasTrustedAnnotations = true } = parts;
  return { id, ...parts, version, prefix, hasTrustedAnnotations, definition };
}

/** Number of tools per read. */
export const TOOLS_PER_READ = 1_000;

/**
 * Yields all tools of a scope, page by page. Reads the next page while the caller works on the current one.
 *
 * @param read Returns the next `TOOLS_PER_READ` rows after an id, or fewer at the end.
 */
export async function* readPages(
  read: (after: string) => Promise<readonly ToolRow[]>,
): AsyncGenerator<readonly StoredTool[]> {
  for (let page = read(''); ; ) {
    const rows = await page;
    const isLast = rows.length < TOOLS_PER_READ;
    if (!isLast) {
      page = read(rows.at(-1)!.id);
      // The next iteration reports a failure; without one, it does not matter.
      page.catch(() => {});
    }
    if (rows.length > 0) yield rows.map(fromRow);
    if (isLast) return;
  }
}
