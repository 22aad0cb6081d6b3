import type { ChangeEvent, ChangeListener, HistoryPlace } from './changes/change-history.ts';
import type { Effect, OnDifference } from './changes/plan-registration.ts';
import type { ServerList, ServerListEffects } from './changes/plan-server-list.ts';
import type { Sight, ToolFilter } from './content/tool-filter.ts';
import type { DetailLevel, ToolDetail, ToolSummary } from './describe-tool.ts';
import type { Backend, McpTool, Registration, ToolExample } from './model/tool.ts';
import type { Outcome } from './problem.ts';
import type { SearchOptions, SearchPage } from './search/search-options.ts';
import type { SearchTool } from './search-tool/search-tool.ts';

export interface ChangeOptions {
  /** Refuses the change with `version_mismatch` when the content has another version. */
  readonly expectVersion?: number;
}

export interface RegisterOptions extends ChangeOptions {
  /** Whether to only report the outcome, without changing anything. */
  readonly dryRun?: boolean;
  /** Treatment of a tool that is registered with another definition; the registry's own choice when missing. */
  readonly onDifference?: OnDifference;
}

/** The outcome of a change. */
export interface ChangeSummary {
  /** The current version of the content. */
  readonly version: number;
  readonly registered: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  /** The effect of each registration, in order; empty for other changes. */
  readonly effects: readonly { readonly id: string; readonly modelName: string; readonly effect: Effect }[];
}

/** The outcome of registering a server's list. */
export interface ServerListSummary extends ServerListEffects {
  /** The current version of the content. */
  readonly version: number;
}

/** A page of a list. */
export interface PageRequest {
  readonly cursor?: string;
  /** 0 to 100; 10 by default. */
  readonly pageSize?: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Missing on the last page. */
  readonly nextCursor?: string;
  readonly version: number;
}

export interface NamespaceCount {
  /** Empty for tools without one. */
  readonly name: string;
  readonly tools: number;
}

/** Definitions of several tools. */
export interface Expansion {
  readonly version: number;
  readonly tools: readonly (ToolSummary & { readonly definition: McpTool })[];
  /** Requested ids and names without a tool in the caller's sight. */
  readonly unknown: readonly string[];
}

export interface RegistryStats {
  readonly version: number;
  readonly epoch: string;
  readonly tools: number;
  readonly backends: number;
  readonly namespaces: number;
  /** Missing for a limited sight, like {@link RegistryStats.resultCache}, because it reveals other tools. */
  readonly indexBytes?: number;
  /** Digest of the searchable content, independent of its history. */
  readonly indexHash: string;
  readonly resultCache?: { readonly hits: number; readonly misses: number; readonly lists: number };
}

/**
 * The tools of one scope that the holder may see.
 *
 * Contract: safe for any number of concurrent readers and writers. Readers see whole changes only; a writer sees its
 * change as soon as it resolves. Returned objects are copies. Expected problems are values, never exceptions. A tool
 * outside the holder's sight counts as missing.
 */
export interface Registry {
  /** The number of content changes so far. */
  readonly version: number;
  /** The current epoch of the content. Versions compare within one epoch only. */
  readonly epoch: string;
  /** Tools of the scope, in sight or not. */
  readonly toolCount: number;
  /** Memory used by the index, in bytes. */
  readonly indexBytes: number;
  /** Whether a namespace is in sight; the empty text stands for no namespace. */
  sees(namespace: string): boolean;
  /** Returns a view of this registry with a narrower sight. */
  within(sight: Sight): Registry;
  /** Registers all of the tools or none. */
  register(tools: readonly Registration[], options?: RegisterOptions): Promise<Outcome<ChangeSummary>>;
  /**
   * Binds all tools that an MCP server lists to it, in one change; an empty list removes the server's backend from every
   * tool. A definition that conflicts with other backends detaches the server from that tool. Tools that cannot be
   * stored are left out and named.
   */
  registerFromMcp(list: ServerList): Promise<Outcome<ServerListSummary>>;
  /** Returns the sorted ids of the tools with a backend on a server. */
  idsOfServer(server: string): readonly string[];
  /** Reads a small text that is stored with the scope's content. Its name begins with its subject. */
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, value: string): Promise<void>;
  /** Removes a tool, or one of its backends. Removing the last backend removes the tool. */
  unregister(idOrName: string, backend?: Backend, options?: ChangeOptions): Promise<Outcome<ChangeSummary>>;
  setExamples(
    idOrName: string,
    examples: readonly ToolExample[],
    options?: ChangeOptions,
  ): Promise<Outcome<ChangeSummary>>;
  get(idOrName: string, detail?: DetailLevel): Promise<ToolDetail | undefined>;
  /** Returns the backends in order of registration; undefined when there is no such tool. */
  backends(idOrName: string): Promise<readonly Backend[] | undefined>;
  /** Lists tools in order of id. */
  list(filter?: ToolFilter, page?: PageRequest): Promise<Outcome<Page<ToolSummary>>>;
  /** Lists namespaces by name, the empty one first. */
  namespaces(page?: PageRequest): Promise<Outcome<Page<NamespaceCount>>>;
  /** Searches for one query, or for several needs or wordings at once. */
  search(
    query: string | readonly string[],
    options?: SearchOptions,
    signal?: AbortSignal,
  ): Promise<Outcome<SearchPage>>;
  /** Returns the definitions of up to 50 tools. */
  expand(idsOrNames: readonly string[]): Promise<Outcome<Expansion>>;
  /** Passes every future event to the listener. Returns a function that removes the listener. */
  onChange(listener: ChangeListener): () => void;
  /** Returns the events after a place, or a refusal when some of them are no longer kept. */
  changesSince(place: HistoryPlace): Outcome<{ readonly events: readonly ChangeEvent[] }>;
  /** Yields the kept events after a place, then each new event. Ends when the signal aborts. */
  changes(place: HistoryPlace, signal: AbortSignal): Outcome<{ readonly events: AsyncIterable<ChangeEvent> }>;
  /** Counts calls of tools; ignores unknown names. */
  countCalls(idsOrNames: readonly string[]): Promise<void>;
  /** Applies changes that other processes made to the store. Rejects when the store cannot be read. */
  catchUp(): Promise<void>;
  /** Tells followers to list again, and returns the new version. */
  refresh(): Promise<Outcome<{ readonly version: number }>>;
  /**
   * Signs a text with a key of this scope's epoch: an HMAC of 43 base64url characters, the same on every instance.
   * `purpose` separates signatures for different uses.
   */
  sign(purpose: string, text: string): string;
  /** The search tool for applications with their own loop. */
  readonly searchTool: SearchTool;
  stats(): Promise<RegistryStats>;
  close(): Promise<void>;
}
