/** The parts of a later round's failure that decide about a retry. */
export interface FailedTry {
  /** The upstream's status; undefined if there was no response or no complete one. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** The value of `x-should-retry`, with which providers decide for their own clients. */
  readonly shouldRetry: string | undefined;
  /** Number of failed attempts so far, including this one. */
  readonly tries: number;
}

/** Limits of retries. */
export interface RetryLimits {
  /** Attempts after the first: `upstreams.{name}.retry.attempts`. */
  readonly attempts: number;
  /** Longest possible delay, in milliseconds. */
  readonly leftMs: number;
}

/** Statuses that mean that the same request may succeed later; the official clients retry them, too. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 429]);

/** Delay before the first retry, in milliseconds; it doubles with each further one. */
const FIRST_WAIT_MS = 500;

/** Whether a status reports a temporary state. */
function isPassing(status: number): boolean {
  return PASSING.has(status) || status >= 500;
}

/**
 * Returns the delay before the retry of a failed round, in milliseconds; undefined for no retry.
 *
 * The server's `x-should-retry: false` and its own `retry-after` are honoured, though a retry is never sooner
 * than without it; if it exceeds the time left, the error goes to the client.
 */
export function retryDelayMs(
  { status, retryAfter, shouldRetry, tries }: FailedTry,
  { attempts, leftMs }: RetryLimits,
): number | undefined {
  if (tries > attempts || (status !== undefined && !isPassing(status))) return undefined;
  if (shouldRetry?.trim().toLowerCase() === 'false') return undefined;
  const waitMs = Math.max(readRetryAfter(retryAfter), FIRST_WAIT_MS * 2 ** (tries - 1));
  return waitMs <= leftMs ? waitMs : undefined;
}

/**
 * Reads seconds as milliseconds, 0 if there are none; a date, which providers do not use, counts as infinitely far away.
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
function readRetryAfter(value: string | undefined): number {
  if (value === undefined || value.trim() === '') return 0;
  const seconds = Number(value);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : Number.POSITIVE_INFINITY;
}
