/** Causes are chained: an error of ours, undici's, the socket's. */
const MOST_CAUSES = 5;

/**
 * The code of what made a request fail on the wire, such as `ECONNREFUSED`, `ENOTFOUND` or `UND_ERR_SOCKET`: the innermost of the chain,
 * which says most. Undefined where none has one. Codes are the system's and the libraries' own words; they quote nothing of a request.
 */
export function causeCode(error: unknown): string | undefined {
  let code: string | undefined;
  let current = error;
  for (let depth = 0; depth < MOST_CAUSES && current instanceof Error; depth++) {
    const own = (current as NodeJS.ErrnoException).code;
    if (typeof own === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(own)) code = own;
    current = current.cause;
  }
  return code;
}
