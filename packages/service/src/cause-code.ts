/** The most causes to follow: Winnow's own error, undici's, the socket's. */
const MOST_CAUSES = 5;

/**
 * Returns the code of a network error, such as `ECONNREFUSED`, `ENOTFOUND` or `UND_ERR_SOCKET`: the innermost
 * in the chain of causes, which is the most specific. Undefined when there is none. Codes come from the
 * system and the libraries, and never quote a request.
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
