import type { ServerState } from './server-state.ts';

/** Progress of a running call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallOptions {
  /** Ends the call; the server is told. */
  readonly signal?: AbortSignal;
  /** Asks the server for progress, and hears of it in order, before the result. */
  readonly onProgress?: (progress: Progress) => void;
  /** Members of the request's `_meta`, such as the capabilities of the client behind the call. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Answers to what an `input_required` result asked for, by its keys. */
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  /** The `requestState` of that result, as the server gave it. */
  readonly requestState?: string;
  /** Longest wait for the result, and for each progress after the last; the server's `timeouts.call` when it is missing. */
  readonly timeoutMs?: number;
}

/**
 * A result of `tools/call` as the server gave it: `isError`, `resultType` (of the new era, `input_required` among them) and unknown members
 * included.
 */
export type CallResult = Readonly<Record<string, unknown>>;

/**
 * The MCP servers of one tenant, which fill the registry and run the calls of their tools.
 *
 * Contract: only `call` and `close` wait for a server. Calls run concurrently. The caller checks rights. After `close`,
 * every call is rejected with `server_unreachable`.
 */
export interface McpServers {
  /** Returns the state of each server, by name. */
  states(): readonly ServerState[];
  /** Undefined when there is no such server. */
  state(server: string): ServerState | undefined;
  /**
   * Calls a tool by the server's own name for it. Resolves with the server's result untouched, tool errors (`isError`) included; rejects with
   * a `CallProblem`. Nothing is tried again: whether a call that failed had its effect is not known.
   */
  call(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<CallResult>;
  /**
   * The server's own name of one of its tools, by the name that the registry holds (without the namespace); undefined for a server that is
   * not there. A name that was not repaired is the server's own.
   */
  ownName(server: string, storedName: string): string | undefined;
  /** Whether the annotations of the server's tools are trusted. */
  trustsAnnotations(server: string): boolean;
  /** Ends all calls and connections, and the processes that were started. */
  close(): Promise<void>;
}
