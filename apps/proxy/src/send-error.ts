import type { ServerResponse } from 'node:http';
import { errorBody, PROXY_ERRORS, type ProxyError } from './proxy-error.ts';
import type { Vendor } from './upstream/choose-upstream.ts';

/** Writes an error of the proxy's own as the answer, or cuts the connection when the answer has begun already. */
export function sendError(outgoing: ServerResponse, error: ProxyError, vendor: Vendor): void {
  if (outgoing.headersSent) {
    // A cut connection is the one way left to say that the answer is not whole.
    outgoing.destroy();
    return;
  }
  const body = errorBody(error, vendor);
  outgoing.writeHead(PROXY_ERRORS[error.code], {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    // The rest of a body that nobody reads cannot be skipped to reach the next request on the connection.
    ...(!outgoing.req.complete && { connection: 'close' }),
  });
  outgoing.end(body);
}
