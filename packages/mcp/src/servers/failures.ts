/** Kinds of failure of a request to a server. */
export type FailureKind = keyof typeof FAILURES;

interface FailureRule {
  /**
   * The state that it changes: `request` nothing beyond the request; `connection` the connection that carried it, which is replaced; `server`
   * what all callers share: after several in a row the server is not called for a while.
   */
  readonly changes: 'request' | 'connection' | 'server';
  /** Whether the request is sent once more, over the next connection: always, only if it just reads, or never. */
  readonly repeat: 'always' | 'reads' | 'never';
  /** Whether the server's list is read again to find out what has become of it. */
  readonly isDoubt: boolean;
  /** The code of the problem that the caller reads, unless the repeated request succeeds. */
  readonly code: CallProblemCode;
}

/**
 * Consequences of each kind of failure, for calls, lists, subscriptions, prompts and resources alike.
 *
 * State belongs to whom the failure comes from. A completed response of HTTP shows that the server is there, so it closes nothing to
 * others. No row changes the state of a tool: the list, which is read again in doubt, does. Callers read the server's own words, with
 * `Retry-After`, and for a broken connection that the request may have had its effect.
 */
export const FAILURES = {
  /** The server does not know the session: it has not read the request, and a client must start another. */
  session_lost: { changes: 'connection', repeat: 'always', isDoubt: false, code: 'server_unreachable' },
  /** The connection had ended before the request was sent. */
  connection_lost: { changes: 'connection', repeat: 'always', isDoubt: false, code: 'server_unreachable' },
  /** The connection broke before the response was complete. The request may have had its effect. */
  connection_broken: { changes: 'request', repeat: 'reads', isDoubt: true, code: 'server_unreachable' },
  /** No connection can be made: refused, no address, no process, no time. */
  unreachable: { changes: 'server', repeat: 'never', isDoubt: true, code: 'server_unreachable' },
  /** HTTP 401. The credentials are the operator's; the list shows whether they are good for anything. */
  unauthorized: { changes: 'request', repeat: 'never', isDoubt: true, code: 'refused' },
  /** HTTP 403. */
  forbidden: { changes: 'request', repeat: 'never', isDoubt: false, code: 'refused' },
  /** HTTP 429. */
  rate_limited: { changes: 'request', repeat: 'never', isDoubt: false, code: 'refused' },
  /** HTTP 5xx. */
  server_error: { changes: 'request', repeat: 'never', isDoubt: true, code: 'refused' },
  /** Any other status of HTTP. */
  bad_request: { changes: 'request', repeat: 'never', isDoubt: true, code: 'refused' },
  /** An error of JSON-RPC, which the caller gets as it is; also in a response of HTTP with an error's status. */
  rpc_error: { changes: 'request', repeat: 'never', isDoubt: false, code: 'refused' },
  timed_out: { changes: 'request', repeat: 'never', isDoubt: true, code: 'timed_out' },
  /** A response that is none of the protocol, or too large. */
  bad_answer: { changes: 'request', repeat: 'never', isDoubt: true, code: 'bad_answer' },
} as const satisfies Record<string, FailureRule>;

/** Returns the kind of a failed request; undefined for other errors. */
export function failureOf(error: unknown): FailureKind | undefined {
  return error instanceof CallProblem || error instanceof ServerProblem ? error.failure : undefined;
}

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
  /** The server answered with an error: of JSON-RPC, which `rpcError` holds, or of HTTP. */
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
  /** The failure of the request to the server; undefined where none was sent. */
  readonly failure: FailureKind | undefined;

  constructor(code: CallProblemCode, message: string, rpcError?: RpcError, failure?: FailureKind) {
    super(message);
    this.code = code;
    this.rpcError = rpcError;
    this.failure = failure ?? (rpcError && 'rpc_error');
  }
}

/** The reasons that a server could not be reached or read. */
type ServerProblemCode =
  /** The package that speaks MCP is not installed. */
  | 'package_missing'
  /** The command cannot be started. */
  | 'cannot_start'
  /** No connection, or one that broke. */
  | 'unreachable'
  /** It wants other credentials. */
  | 'unauthorized'
  /** Its address is private, or it wants to be asked elsewhere. */
  | 'address_refused'
  | 'timed_out'
  /** It answered with an error of JSON-RPC. */
  | 'refused'
  /** Its response does not follow the protocol. */
  | 'bad_answer'
  | 'cursor_repeated'
  | 'too_many_pages'
  | 'too_many_tools'
  | 'list_too_large'
  /** Its tools do not fit into the registry. */
  | 'limit_exceeded'
  /** The registry's store did not take its tools. */
  | 'not_stored';

/** The failure behind each code, where nothing more is known. */
const FAILURE_OF: Readonly<Record<ServerProblemCode, FailureKind>> = {
  package_missing: 'unreachable',
  cannot_start: 'unreachable',
  unreachable: 'unreachable',
  unauthorized: 'unauthorized',
  address_refused: 'unreachable',
  timed_out: 'unreachable',
  refused: 'rpc_error',
  bad_answer: 'bad_answer',
  cursor_repeated: 'bad_answer',
  too_many_pages: 'bad_answer',
  too_many_tools: 'bad_answer',
  list_too_large: 'bad_answer',
  limit_exceeded: 'bad_answer',
  not_stored: 'bad_answer',
};

/** A failure to reach or read a server, described in a sentence without secrets. */
export class ServerProblem extends Error {
  override readonly name = 'ServerProblem';
  readonly code: ServerProblemCode;
  readonly failure: FailureKind;

  constructor(
    code: ServerProblemCode,
    message: string,
    { cause, failure = FAILURE_OF[code] }: { cause?: unknown; failure?: FailureKind | undefined } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.failure = failure;
  }
}

/** Converts an error of an attempt to read a server to a problem. */
export function toServerProblem(error: unknown): ServerProblem {
  if (error instanceof ServerProblem) return error;
  // A store that does not answer, or a defect of ours: neither is the server's.
  return new ServerProblem('not_stored', 'The registry could not store its tools.', { cause: error });
}
