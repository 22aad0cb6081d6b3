/** The reasons for a refusal, each with its meaning. */
export const PROBLEM_CODES = [
  /** A registration whose name, namespace, schema or text is not allowed. */
  'invalid_tool',
  /** A backend with an empty field. */
  'invalid_backend',
  /** An example that is too large or that its tool's schema does not allow. */
  'invalid_example',
  /** Another backend of the tool gives a different definition. */
  'tool_conflict',
  /** More tools, backends, examples or results than allowed. */
  'limit_exceeded',
  /** No such tool or backend, or none that the caller may see. */
  'not_found',
  /** A change outside the caller's sight. */
  'forbidden',
  /** The content has a version other than the expected one. */
  'version_mismatch',
  /** A malformed or forged cursor, or a cursor of another query. */
  'invalid_cursor',
  /** A cursor or version of an earlier epoch, or of an expired list: start again. */
  'stale_cursor',
  /** A value out of its range. */
  'invalid_request',
  /** The disk is full. Nothing was changed; reads still work. */
  'storage_full',
  /** The store does not respond. */
  'storage_unavailable',
  /** No searcher is available. */
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** One problem, with its path in the request, such as `tools.3.namespace`; empty for the whole request. */
export interface Problem {
  readonly code: ProblemCode;
  readonly path: string;
  readonly message: string;
}

/** A refused operation, which changed nothing. The code is that of the first problem. */
export interface Refusal {
  readonly ok: false;
  readonly code: ProblemCode;
  /** At least one. */
  readonly problems: readonly Problem[];
}

/** A result or a refusal. Expected problems are values, never exceptions. */
export type Outcome<Value> = ({ readonly ok: true } & Value) | Refusal;

/** Creates a refusal with one problem. */
export function refuse(code: ProblemCode, message: string, path = ''): Refusal {
  return { ok: false, code, problems: [{ code, path, message }] };
}

/** Creates a refusal with several problems; at least one is required. */
export function refuseAll(problems: readonly Problem[]): Refusal {
  return { ok: false, code: problems[0]!.code, problems };
}
