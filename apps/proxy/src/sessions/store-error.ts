/** Problems of a store in another process. */
export const STORE_PROBLEMS = [
  /** No connection. */
  'unreachable',
  /** No reply within the deadline, or too many recent timeouts. */
  'timeout',
  /** The server requires another user or password, or the user lacks permissions. */
  'refused',
  /** The server is still loading its data. */
  'loading',
  /** The server takes no writes: a replica, or a demoted primary. */
  'read_only',
  /** The server has no memory left. */
  'full',
  /** The cluster does not serve the key. */
  'cluster_down',
  /** The value exceeds the size limit. */
  'too_large',
  /** Any other error. */
  'unusable',
] as const;
export type StoreProblem = (typeof STORE_PROBLEMS)[number];

/** An error of a store in another process. Its message is the problem, without content or credentials. */
export class StoreError extends Error {
  readonly problem: StoreProblem;

  constructor(problem: StoreProblem) {
    super(problem);
    this.name = 'StoreError';
    this.problem = problem;
  }
}
