/** The reasons that a call of a server's tool gave no result. */
export type CallProblemCode =
  /** No server of that name is configured, or it is disabled. */
  | 'unknown_server'
  /** The server is not there for this tool: it does not list it, or the operator's settings keep it back. */
  | 'not_allowed'
  /** Only read-only tools may be called, and the trusted server does not declare this one read-only. */
  | 'not_read_only'
  /** All processes of the server are busy with calls of others. */
  | 'overloaded'
  /** The server cannot be reached, went away during the call, or its breaker is open. */
  | 'server_unreachable'
  /** The server did not answer in time. */
  | 'timed_out'
  /** The caller's signal aborted; the server was notified. */
  | 'cancelled'
  /** The server answered with a JSON-RPC error: `rpcError` says which. */
  | 'refused'
  /** The server's answer is none of the protocol, or larger than it may be. */
  | 'bad_answer';

/** An error as JSON-RPC has it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * A call that gave no result. The message is a sentence for the caller: it names the server, and holds no arguments,
 * results, or secrets of the server's configuration.
 */
export class CallProblem extends Error {
  override readonly name = 'CallProblem';
  readonly code: CallProblemCode;
  /** With `refused`: the server's answer, unchanged except for the secrets of its configuration. */
  readonly rpcError: RpcError | undefined;

  constructor(code: CallProblemCode, message: string, rpcError?: RpcError) {
    super(message);
    this.code = code;
    this.rpcError = rpcError;
  }
}
