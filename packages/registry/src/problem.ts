/** Why a registry does not do what it was asked. Every code, and when it happens. */
export const PROBLEM_CODES = [
  /** A registration whose name, namespace, schema or text is not allowed. */
  'invalid_tool',
  /** A backend with an empty field. */
  'invalid_backend',
  /** An example that is too large or that its tool's schema does not allow. */
  'invalid_example',
  /** Another backend of the tool gives a different definition. */
  'tool_conflict',
  /** More tools, backends, examples or results than there may be. */
  'limit_exceeded',
  /** No such tool or backend, as far as the caller may know. */
  'not_found',
  /** A change outside of what the caller may see. */
  'forbidden',
  /** The content has another version than the one that was expected. */
  'version_mismatch',
  /** A cursor that is malformed, forged, or of another query. */
  'invalid_cursor',
  /** A cursor or version of another life of the registry, or of a list that is no longer kept: begin again. */
  'stale_cursor',
  /** A value out of its range. */
  'invalid_request',
  /** The disk is full: nothing was changed, and reading goes on. */
  'storage_full',
  /** The store does not answer. */
  'storage_unavailable',
  /** No searcher can answer now. */
  'search_unavailable',
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** One problem, with its place in what was asked, such as `tools.3.namespace`; empty for the whole. */
export interface Problem {
  readonly code: ProblemCode;
  readonly path: string;
  readonly message: string;
}

/** Nothing was done, and why. The code is that of the first problem. */
export interface Refusal {
  readonly ok: false;
  readonly code: ProblemCode;
  /** At least one. */
  readonly problems: readonly Problem[];
}

/** What was asked for, or why not. Expected problems are values, never exceptions. */
export type Outcome<Value> = ({ readonly ok: true } & Value) | Refusal;

/** A refusal with one problem. */
export function refuse(code: ProblemCode, message: string, path = ''): Refusal {
  return { ok: false, code, problems: [{ code, path, message }] };
}

/** A refusal with several problems; there must be one at least. */
export function refuseAll(problems: readonly Problem[]): Refusal {
  return { ok: false, code: problems[0]!.code, problems };
}
