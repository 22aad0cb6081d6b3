/** The most causes to follow: Winnow's own error, undici's, the socket's. */
const MOST_CAUSES = 5;

/** Undici's messages about a proxy that refuses a connection. */
const PROXY_REFUSAL = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

/**
 * Returns the code of a network error, such as `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET` or
 * `PROXY_RESPONSE_407`: the innermost in the chain of causes, which is the most specific. Undefined when there
 * is none. Codes come from the
 * system and the libraries, and never quote a request.
 */
export function causeCode(error: unknown): string | undefined {
  let code: string | undefined;
  let current = error;
  for (let depth = 0; depth < MOST_CAUSES && current instanceof Error; depth++) {
    const own = (current as NodeJS.ErrnoException).code;
    if (typeof own === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(own)) code = own;
    const [, status] = PROXY_REFUSAL.exec(current.message) ?? [];
    if (status !== undefined) code = `PROXY_RESPONSE_${status}`;
    current = current.cause;
  }
  return code;
}
