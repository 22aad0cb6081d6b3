import type { CallOptions, CallResult, OfferRequest } from './mcp-servers.ts';
import type { OfferList } from './offers.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ProtocolEra } from './server-state.ts';

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
