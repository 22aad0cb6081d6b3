/** A failure of the caller's `fetch`, or of the body of its response, which the caller finally gets. */
export class FetchFailure extends Error {
  /** Marks it as a transport error, whatever the runtime throws. */
  readonly code = 'FETCH_FAILED';

  constructor(cause: unknown) {
    super('fetch failed', { cause });
  }
}

/** Returns the error that the caller's `fetch` threw, if an error comes from it; otherwise the error itself. */
export function originalOf(error: unknown): unknown {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof FetchFailure) return current.cause;
  }
  return error;
}
