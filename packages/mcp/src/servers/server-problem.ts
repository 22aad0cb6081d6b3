/** The reasons that a server could not be reached or read. */
export type ServerProblemCode =
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

/** A failure to reach or read a server, described in a sentence without secrets. */
export class ServerProblem extends Error {
  override readonly name = 'ServerProblem';
  readonly code: ServerProblemCode;

  constructor(code: ServerProblemCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Converts an error of an attempt to read a server to a problem. */
export function toServerProblem(error: unknown): ServerProblem {
  if (error instanceof ServerProblem) return error;
  // A store that does not answer, or a defect of ours: neither is the server's.
  return new ServerProblem('not_stored', 'The registry could not store its tools.', error);
}
