import type { ChangeEvent } from './changes/change.ts';
import type { HistoryPlace } from './changes/change-history.ts';
import type { ChangeListener } from './changes/change-listeners.ts';
import type { Effect } from './changes/plan-registration.ts';
import type { ServerListEffects } from './changes/plan-server-list.ts';
import type { ServerList } from './changes/server-list.ts';
import type { Sight } from './content/sight.ts';
import type { ToolFilter } from './content/tool-filter.ts';
import type { Backend } from './model/backend.ts';
import type { McpTool, Registration, ToolExample } from './model/tool.ts';
import type { Outcome } from './problem.ts';
import type { SearchOptions, SearchPage } from './search/search-options.ts';
import type { SearchTool } from './search-tool/search-tool.ts';
import type { DetailLevel, ToolDetail, ToolSummary } from './tool-detail.ts';

/** What a change may be bound to. */
export interface ChangeOptions {
  /** Refuses the change with `version_mismatch` when the content has another version. */
  readonly expectVersion?: number;
}

export interface RegisterOptions extends ChangeOptions {
  /** Says what would happen, and changes nothing. */
  readonly dryRun?: boolean;
}

/** What a change did. */
export interface ChangeSummary {
  /** Of the content now. Without a change it is what it was. */
  readonly version: number;
  readonly registered: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  /** What became of each registration, in its order; empty for other changes. */
  readonly effects: readonly { readonly id: string; readonly modelName: string; readonly effect: Effect }[];
}

/** What a server's list did. */
export interface ServerListSummary extends ServerListEffects {
  /** Of the content now. */
  readonly version: number;
}

/** A page of a list. */
export interface PageRequest {
  readonly cursor?: string;
  /** 0 to 100, 10 when it is missing. */
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
  /** What was asked for and does not exist, as far as the caller may know. */
  readonly unknown: readonly string[];
}

export interface RegistryStats {
  readonly version: number;
  readonly epoch: string;
  readonly tools: number;
  readonly backends: number;
  readonly namespaces: number;
  readonly indexBytes: number;
  /** Equal for equal searchable content, however it came about. */
  readonly indexHash: string;
  readonly resultCache: { readonly hits: number; readonly misses: number; readonly lists: number };
}

/**
 * The tools of one scope, as far as its holder may see.
 *
 * Contract: safe for any number of readers and writers at once; every reader sees whole changes only, and whoever made a change sees it
 * from then on. What is returned is a copy. Problems that are to be expected are values, never exceptions; a tool that the holder may not
 * see is treated as one that does not exist.
 */
export interface Registry {
  /** Rises by one with every change of content; 0 when there was none. */
  readonly version: number;
  /** The current life of the content. Versions of different epochs do not compare. */
  readonly epoch: string;
  /** Tools of the scope, in sight or not. */
  readonly toolCount: number;
  /** Memory of the index, in bytes. */
  readonly indexBytes: number;
  /** Whether a namespace, or the lack of one as the empty text, is in sight. */
  sees(namespace: string): boolean;
  /** The same registry with less in sight. */
  within(sight: Sight): Registry;
  /** Registers all of the tools or none. */
  register(tools: readonly Registration[], options?: RegisterOptions): Promise<Outcome<ChangeSummary>>;
  /**
   * Binds everything that an MCP server lists to it, in one change: an empty list takes the server's backend from every tool. Fields that other
   * backends define otherwise detach it from that tool; what cannot be stored is left out and named.
   */
  registerFromMcp(list: ServerList): Promise<Outcome<ServerListSummary>>;
  /** Ids of the tools with a backend on a server, in order. */
  idsOfServer(server: string): readonly string[];
  /** A small text that is kept with the scope's content, as it was last written. Names begin with what they are of. */
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, value: string): Promise<void>;
  /** Removes a tool, or one of its backends; a tool goes with the last of them. */
  unregister(idOrName: string, backend?: Backend, options?: ChangeOptions): Promise<Outcome<ChangeSummary>>;
  setExamples(
    idOrName: string,
    examples: readonly ToolExample[],
    options?: ChangeOptions,
  ): Promise<Outcome<ChangeSummary>>;
  get(idOrName: string, detail?: DetailLevel): Promise<ToolDetail | undefined>;
  /** In order of registration, or undefined when there is no such tool. */
  backends(idOrName: string): Promise<readonly Backend[] | undefined>;
  /** Tools in order of id. */
  list(filter?: ToolFilter, page?: PageRequest): Promise<Outcome<Page<ToolSummary>>>;
  /** Namespaces by name, the empty one first. */
  namespaces(page?: PageRequest): Promise<Outcome<Page<NamespaceCount>>>;
  search(query: string, options?: SearchOptions, signal?: AbortSignal): Promise<Outcome<SearchPage>>;
  /** Definitions of up to 50 tools. */
  expand(idsOrNames: readonly string[]): Promise<Outcome<Expansion>>;
  /** Hears of every event from now on; gives what ends that. */
  onChange(listener: ChangeListener): () => void;
  /** Events behind a place that are kept, or a refusal when some of them are not. */
  changesSince(place: HistoryPlace): Outcome<{ readonly events: readonly ChangeEvent[] }>;
  /** Events behind a place, first those that are kept, then every one that comes. Ends when the signal aborts. */
  changes(place: HistoryPlace, signal: AbortSignal): Outcome<{ readonly events: AsyncIterable<ChangeEvent> }>;
  /** Counts calls of tools; names of none are passed over. */
  countCalls(idsOrNames: readonly string[]): Promise<void>;
  /** Brings the content up to the store, where other processes change it too. Rejects when the store cannot be read. */
  catchUp(): Promise<void>;
  /** Brings everything up to the store, tells followers to look again, and gives the version. */
  refresh(): Promise<Outcome<{ readonly version: number }>>;
  /**
   * A text that only the registry of this scope can make of another one, the same on every instance for as long as the epoch lasts: 43
   * characters of base64url, an HMAC. `purpose` keeps apart what is signed for different ends.
   */
  sign(purpose: string, text: string): string;
  /** For applications that run their own loop. */
  readonly searchTool: SearchTool;
  stats(): Promise<RegistryStats>;
  close(): Promise<void>;
}
