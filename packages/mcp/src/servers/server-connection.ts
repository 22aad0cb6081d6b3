import type { CallOptions, CallResult } from './mcp-servers.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ProtocolEra } from './server-state.ts';

/** A call as it is sent. */
export interface SentCall extends Omit<CallOptions, 'timeoutMs' | 'holder'> {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Further headers, where the transport has headers. */
  readonly headers?: Readonly<Record<string, string>>;
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
  /** One page of `tools/list` as the server gave it. */
  listPage(cursor: string | undefined, signal: AbortSignal): Promise<unknown>;
  call(call: SentCall): Promise<CallResult>;
  /** Asks to be told of changes, where the server must be asked and is not yet. Never rejects. */
  listen(): void;
  /** Resolves when the connection is closed, and the process ended where there is one. Never rejects. */
  close(): Promise<void>;
}

/** Events of a connection. */
export interface ConnectionEvents {
  /** The server says that its list is another one. May be told any number of times. */
  readonly onListChanged: () => void;
  /** The connection is gone, and was not closed by us. At most once. */
  readonly onLost: (reason: string) => void;
}

/** Opens connections: the edge behind which the network and processes are. */
export interface Connector {
  /** Rejects with a `ServerProblem`. */
  connect(entry: ServerEntry, events: ConnectionEvents, signal: AbortSignal): Promise<ServerConnection>;
}
