/** The failure of a later round, as far as it decides whether the round is worth another try. */
export interface FailedTry {
  /** The upstream's status; undefined when there was no response, or none to its end. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** Number of tries that have failed so far, this one included. */
  readonly tries: number;
}

/** Limits of another try. */
export interface RetryLimits {
  /** Tries after the first one: `upstreams.{name}.retry.attempts`. */
  readonly attempts: number;
  /** Until when the wait must be over, from now, in milliseconds. */
  readonly leftMs: number;
}

/** Statuses with which a server says that the same request may be taken later; the official clients repeat them as well. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 429]);

/** Delay before the first repetition, in milliseconds; each further one waits twice as long. */
const FIRST_WAIT_MS = 500;

/** Whether a status is of a state that passes. */
export function isPassing(status: number): boolean {
  return PASSING.has(status) || status >= 500;
}

/**
 * The delay before a failed round is asked for again, in milliseconds; undefined when it is not.
 *
 * A server's own word for when is kept; one that reaches further than there is time for is the client's to hear.
 */
export function retryDelayMs(
  { status, retryAfter, tries }: FailedTry,
  { attempts, leftMs }: RetryLimits,
): number | undefined {
  if (tries > attempts || (status !== undefined && !isPassing(status))) return undefined;
  const waitMs = readRetryAfter(retryAfter) ?? FIRST_WAIT_MS * 2 ** (tries - 1);
  return waitMs <= leftMs ? waitMs : undefined;
}

/** Seconds as a number; a date is in no use with providers and counts as far away. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const seconds = Number(value);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : Number.POSITIVE_INFINITY;
}
