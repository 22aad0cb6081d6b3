/** What has come of a load so far. */
export interface Tally {
  /** Conversations begun. */
  begun: number;
  /** Conversations that ended well. */
  finished: number;
  /** Requests of clients that were answered by a proxy, those that were told to go elsewhere included. */
  requests: number;
  /** Answers that were as they must be. */
  good: number;
  /** Requests that a proxy about to stop refused, and that were sent again. */
  drained: number;
  /** Requests over a connection that was closed while it was idle, and that were sent again. */
  stale: number;
  /** How long users waited for each good answer, in milliseconds. */
  readonly durationsMs: number[];
  /** Everything that went wrong, by what it was. */
  readonly failures: Map<string, Failure>;
}

/** Failures of one kind. */
export interface Failure {
  count: number;
  /** The first ones, in words. */
  readonly examples: string[];
}

/** Nothing yet. */
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

/** Notes a failure. */
export function noteFailure({ failures }: Pick<Tally, 'failures'>, kind: string, example: string): void {
  const failure = failures.get(kind) ?? { count: 0, examples: [] };
  failure.count += 1;
  if (failure.examples.length < MOST_EXAMPLES) failure.examples.push(example);
  failures.set(kind, failure);
}

/** How much went wrong. */
export function failureCount({ failures }: Pick<Tally, 'failures'>): number {
  return [...failures.values()].reduce((sum, { count }) => sum + count, 0);
}

const MOST_EXAMPLES = 5;
