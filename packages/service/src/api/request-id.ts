const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Returns the id of a request: the caller's own if it is safe to log and to send back, otherwise a new one.
 */
export function requestIdOf(header: string | string[] | undefined, makeId: () => string): string {
  return typeof header === 'string' && SANE_ID.test(header) ? header : makeId();
}
