import type { JsonObject, PendingDefinition, ToolSummary } from '@winnow/registry';
import type { Offer, OfferKind } from './read-list.ts';
import type { Isolation } from './server-entry.ts';
import type { CallRefusal, RegisteredTool } from './take-over-list.ts';

/** `modern` is revision 2026-07-28 and later, which is stateless; `legacy` is everything before, which begins with `initialize`. */
export type ProtocolEra = 'legacy' | 'modern';

/**
 * The status of a server.
 *
 * - `disabled`: configured, but switched off.
 * - `connecting`: not reached yet since the start, and no attempt has failed.
 * - `up`: its last list was read, and the registry has it.
 * - `down`: the last attempt failed. Its tools stay, and another attempt follows.
 */
export type ServerStatus = 'disabled' | 'connecting' | 'up' | 'down';

/** State of one server, without secrets of its configuration. Times are milliseconds since the epoch. */
export interface ServerState {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  readonly status: ServerStatus;
  /** Undefined as long as the server was not reached. */
  readonly era: ProtocolEra | undefined;
  /** The revision that was agreed on, such as `2026-07-28`. */
  readonly protocolVersion: string | undefined;
  /** Empty for tools without a namespace. */
  readonly namespace: string;
  /** Stands in names in place of the namespace. */
  readonly prefix: string | undefined;
  /** Tools of it that the registry holds. */
  readonly tools: number;
  /** Prompts, resources and templates of resources that are relayed. */
  readonly prompts: number;
  readonly resources: number;
  readonly templates: number;
  /** When its list was last read to the end. */
  readonly lastRefresh: number | undefined;
  /** Why the last attempt failed; undefined after one that succeeded. */
  readonly lastError: { readonly code: string; readonly message: string; readonly at: number } | undefined;
  /** When its tools became possibly outdated. */
  readonly staleSince: number | undefined;
  /** Whether its annotations are believed. */
  readonly trustsAnnotations: boolean;
  /** Whether changed definitions wait for approval. */
  readonly isPinned: boolean;
  /** Callers that share its state. */
  readonly isolation: Isolation;
  /** Processes or sessions for single callers; the one that is for all is not counted. */
  readonly processes: number;
  /**
   * Entries of its lists that were rejected, by the server's own names, and lists that could not be read; at
   * most 100.
   */
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
  /** Changed definitions that wait for approval. */
  readonly pending: readonly PendingDefinition[];
  /** Ids of tools that other backends define otherwise: this server's backend is detached from them. */
  readonly diverged: readonly string[];
}

/** A registered tool with its annotations. */
export type AnnotatedTool = Pick<ToolSummary, 'namespace' | 'name' | 'annotations' | 'hasTrustedAnnotations'>;

/** Progress of a running call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The properties of a caller by which servers isolate state. */
export interface CallHolder {
  /** The token, by its name. */
  readonly caller: string;
  /** The session of the client, if it has one. */
  readonly session?: string;
}

export interface CallOptions {
  readonly holder?: CallHolder;
  /** Ends the call; the server is notified. */
  readonly signal?: AbortSignal;
  /** Asks the server for progress, and receives it in order, before the result. */
  readonly onProgress?: (progress: Progress) => void;
  /** Members of the request's `_meta`, such as the capabilities of the client behind the call. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Answers to the questions of an `input_required` result, by its keys. */
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  /** The `requestState` of that result, as the server gave it. */
  readonly requestState?: string;
  /** Longest wait for the result, and for each progress after the last; the server's `timeouts.call` when it is missing. */
  readonly timeoutMs?: number;
}

export interface AdmitOptions {
  /** Gives up when it aborts. */
  readonly signal?: AbortSignal;
  /** Whether to admit only tools that a trusted server declares read-only. */
  readonly onlyReads?: boolean;
}

/** A request for an offer of a server. */
export interface OfferRequest {
  /** The offer that must be relayed for it to be sent. */
  readonly offer: Pick<Offer, 'kind' | 'key'>;
  readonly method: 'prompts/get' | 'resources/read' | 'completion/complete';
  readonly params: Readonly<Record<string, unknown>>;
}

/** The offers of a server that have changed. */
export interface OfferChange {
  readonly server: string;
  readonly namespace: string;
  readonly kinds: ReadonlySet<OfferKind>;
}

/** Options of a subscription. */
export interface SubscribeOptions {
  readonly holder?: CallHolder;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
  /** The resource has changed, or may have, as the server could not be listened to for a while. */
  readonly onUpdated: () => void;
}

/**
 * A result of `tools/call` as the server gave it: `isError`, `resultType` (of the new era, `input_required` among them) and unknown members
 * included.
 */
export type CallResult = Readonly<Record<string, unknown>>;

/**
 * The MCP servers of one tenant, which fill the registry and run the calls of their tools.
 *
 * Contract: only `call` and `close` wait for a server. Calls run concurrently. The caller admits a tool before it
 * calls it. After `close`,
 * every call is rejected with `server_unreachable`.
 */
export interface McpServers {
  /** Returns the state of each server, by name. */
  states(): readonly ServerState[];
  /** Undefined when there is no such server. */
  state(server: string): ServerState | undefined;
  /**
   * Calls a tool by the server's own name for it. Resolves with the server's result untouched, tool errors (`isError`) included; rejects with
   * a `CallProblem`. A call is sent again only where the server cannot have read it: see `FAILURES`.
   */
  call(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<CallResult>;
  /**
   * Returns the server's own name of a registered tool, if the tool may be called on it. Reads the server's list first
   * if that was not read since the start: only the list decides. Rejects with a `CallProblem`.
   */
  admit(server: string, tool: RegisteredTool, options?: AdmitOptions): Promise<string>;
  /** Returns why a registered tool is not called on a server; undefined if no reason is known. */
  refusalOf(server: string, tool: RegisteredTool): CallRefusal | undefined;
  /** Returns the annotations of a registered tool that count: those that a trusted server itself lists. */
  hintsOf(server: string, tool: AnnotatedTool): JsonObject;
  /** Returns a server's offers other than tools; the same object until they change. */
  offersOf(server: string): readonly Offer[];
  /** Rises whenever the offers of a server change. */
  readonly offersVersion: number;
  onOffersChanged(listener: (change: OfferChange) => void): () => void;
  /**
   * Sends a request for an offer, if that may be relayed. Resolves with the server's result untouched; rejects with a
   * `CallProblem`.
   */
  relay(server: string, request: OfferRequest, options?: CallOptions): Promise<CallResult>;
  /**
   * Subscribes to a resource that may be read, again after a lost connection. Resolves as soon as it is subscribed; rejects with a
   * `CallProblem`.
   */
  subscribe(server: string, uri: string, options: SubscribeOptions): Promise<void>;
  /** Ends all calls and connections, and the processes that were started. */
  close(): Promise<void>;
}
