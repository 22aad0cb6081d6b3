/** Why a store in another process could not be used. */
export const STORE_PROBLEMS = [
  /** No connection. */
  'unreachable',
  /** No reply within the deadline, or too many of those of late. */
  'timeout',
  /** It wants another user or password, or the user may not do what is needed. */
  'refused',
  /** It is still reading its data. */
  'loading',
  /** It takes no writes: a replica, or a primary that was demoted. */
  'read_only',
  /** It has no memory left. */
  'full',
  /** The cluster does not serve the key. */
  'cluster_down',
  /** A value that is larger than what is stored. */
  'too_large',
  /** Anything else that is no reply. */
  'unusable',
] as const;
export type StoreProblem = (typeof STORE_PROBLEMS)[number];

/** What a store in another process fails with. Its message is the problem: never content, never a credential. */
export class StoreError extends Error {
  readonly problem: StoreProblem;

  constructor(problem: StoreProblem) {
    super(problem);
    this.name = 'StoreError';
    this.problem = problem;
  }
}
