/** Results of a load so far. */
export interface Tally {
  /** Number of conversations started. */
  begun: number;
  /** Number of conversations that ended well. */
  finished: number;
  /**
   * Number of requests that a proxy responded to, including those that it refused because it was stopping.
   */
  requests: number;
  /** Number of correct responses. */
  good: number;
  /** Number of requests that a stopping proxy refused and that were sent again. */
  drained: number;
  /** Number of requests sent again because an idle connection was closed. */
  stale: number;
  /** Time until each correct response was complete, in milliseconds. */
  readonly durationsMs: number[];
  /** All failures, by kind. */
  readonly failures: Map<string, Failure>;
}

/** Failures of one kind. */
export interface Failure {
  count: number;
  /** The first failures, in words. */
  readonly examples: string[];
}

export function emptyTally(): Tally {
  return {
    begun: 0,
    finished: 0,
    requests: 0,
    good: 0,
    drained: 0,
    stale: 0,
    durationsMs: [],
    failures: new Map(),
  };
}

/** Records a failure. */
export function noteFailure({ failures }: Pick<Tally, 'failures'>, kind: string, example: string): void {
  const failure = failures.get(kind) ?? { count: 0, examples: [] };
  failure.count += 1;
  if (failure.examples.length < MOST_EXAMPLES) failure.examples.push(example);
  failures.set(kind, failure);
}

/** Returns the total number of failures. */
export function failureCount({ failures }: Pick<Tally, 'failures'>): number {
  return [...failures.values()].reduce((sum, { count }) => sum + count, 0);
}

const MOST_EXAMPLES = 5;
