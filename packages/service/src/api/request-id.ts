const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The id of a request: the caller's own when it is safe to log and to send back, a new one otherwise.
 */
export function requestIdOf(header: string | string[] | undefined, makeId: () => string): string {
  return typeof header === 'string' && SANE_ID.test(header) ? header : makeId();
}
