import type { Registry } from '@winnow/registry';
import type { CallOptions, CallResult, OfferRequest, ProtocolEra } from './mcp-servers.ts';
import type { After } from './process-group.ts';
import type { OfferList } from './read-list.ts';
import type { Isolation, ServerEntry } from './server-entry.ts';
import type { CallRefusal } from './take-over-list.ts';

/** A client's request as sent. */
export interface SentRequest extends Omit<CallOptions, 'timeoutMs' | 'holder'> {
  readonly method: 'tools/call' | OfferRequest['method'];
  readonly params: Readonly<Record<string, unknown>>;
  /** Further headers, where the transport has headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A subscription to a resource. */
export interface ServerSubscription {
  /** Resolves when it has ended, by whichever side. */
  readonly closed: Promise<void>;
  /** Ends it. Never rejects. */
  stop(): Promise<void>;
}

/**
 * A server that answers.
 *
 * Contract: calls run side by side. What rejects, rejects with a `ServerProblem`, or with a `CallProblem` where the server answered; both are
 * free of secrets. Nothing here has a timeout: the caller passes a signal that ends it.
 */
export interface ServerConnection {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  /** Whether it has tools at all. */
  readonly hasTools: boolean;
  /** Its features in addition to tools. */
  readonly features: {
    readonly prompts: boolean;
    readonly resources: boolean;
    readonly subscriptions: boolean;
    readonly completions: boolean;
  };
  /** Its instructions for clients, as it gave them. */
  readonly instructions: string | undefined;
  /** One page of a list as the server gave it. */
  listPage(
    method: 'tools/list' | OfferList['method'],
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<unknown>;
  request(request: SentRequest): Promise<CallResult>;
  /** Subscribes to changes of a resource. */
  subscribe(uri: string, onUpdated: () => void, signal: AbortSignal): Promise<ServerSubscription>;
  /** Subscribes to changes if the server requires that and it has not happened yet. Never rejects. */
  listen(): void;
  /** Resolves when the connection is closed and its process, if any, has ended. Never rejects. */
  close(): Promise<void>;
}

export interface ConnectionEvents {
  /** The server announces that one of its lists has changed. May be called any number of times. */
  readonly onListChanged: () => void;
  /** The connection was lost without being closed by us. Called at most once. */
  readonly onLost: (reason: string) => void;
}

/** Opens connections: the only access to the network and processes. */
export interface Connector {
  /** Rejects with a `ServerProblem`. */
  connect(entry: ServerEntry, events: ConnectionEvents, signal: AbortSignal): Promise<ServerConnection>;
}

/** Effects of the servers of one tenant. */
export interface ServerEffects {
  /** Whose tools they are. */
  readonly registry: Registry;
  readonly connector: Connector;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** From 0 to 1: spreads actions that would otherwise happen at the same time. */
  readonly random: () => number;
  readonly after: After;
  /** Lets others go first in the middle of work that takes long. */
  readonly pause: () => Promise<void>;
  readonly observer: ServersObserver;
  /** The isolation of servers whose entries don't name one; `none` by default. */
  readonly defaultIsolation?: () => Isolation;
}

/** A registered tool that is not called on its server. */
export interface RefusedTool {
  readonly id: string;
  readonly reason: CallRefusal;
}

/** Receives events for logs and metrics, without secrets. */
export interface ServersObserver {
  /** A refresh is over; `code` says why it failed. */
  onRefresh(refresh: {
    readonly server: string;
    readonly durationMs: number;
    readonly code: string | undefined;
    readonly message: string | undefined;
    readonly changed: number;
  }): void;
  /** Definitions of a pinned server differ from those that were approved. */
  onPending(server: string, tools: readonly string[]): void;
  /** Tools were left out of a list. */
  onLeftOut(server: string, tools: readonly { readonly tool: string; readonly reason: string }[]): void;
  /** Registered tools are not called on their server. */
  onRefused(server: string, tools: readonly RefusedTool[]): void;
  onLost(server: string, reason: string): void;
}

/** Fixed limits and times. */
export const SERVER_TIMES = {
  /** From a notice of change to the refresh. */
  debounceMs: 500,
  backoffMs: { first: 1_000, most: 300_000 },
  /** A connection that broke sooner does not count: the server's backoff continues. */
  stableMs: 60_000,
  breaker: { failures: 5, openMs: 30_000 },
  /** Servers that are read at a time, and how long one that does not answer counts among them. */
  atOnce: 4,
  slotMs: 5_000,
  /** For all lists but that of tools. */
  offersMs: 10_000,
  /** After so long without a call, the process of one caller ends. */
  idleMs: 600_000,
} as const;

/**
 * Limits of one message of a server: decoded bytes, and JSON values, which are parsed within a third of a second; and of
 * the messages in one response.
 */
export const MESSAGE_LIMITS = { bytes: 32 * 2 ** 20, values: 250_000, messages: 100_000 } as const;

/** Description of a message beyond the limits. */
export const LIMITS_TEXT = 'larger than 32 MiB, or has more than 250,000 values or 100,000 messages';
