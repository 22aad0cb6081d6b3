import type { IncomingExchange } from './app.ts';
import { errorBody, PROXY_ERRORS, type ProxyError } from './proxy-error.ts';
import type { Vendor } from './upstream/choose-upstream.ts';

/** Writes an error of the proxy's own as the answer, or cuts the connection when the answer has begun already. */
export function sendError(
  { outgoing, head }: Pick<IncomingExchange, 'outgoing' | 'head'>,
  error: ProxyError,
  vendor: Vendor,
): void {
  if (outgoing.headersSent) {
    // A cut connection is the one way left to say that the answer is not whole.
    outgoing.destroy();
    return;
  }
  const body = errorBody(error, vendor);
  // The rest of a body that nobody reads cannot be skipped to reach the next request on the connection.
  const ending = outgoing.req.complete ? [] : ['connection', 'close'];
  const length = String(Buffer.byteLength(body));
  head.write(PROXY_ERRORS[error.code], [
    'content-type',
    'application/json',
    'content-length',
    length,
    ...ending,
  ]);
  outgoing.end(body);
}
