import type { ServerResponse } from 'node:http';
import { discardRest } from '@winnow/service';
import type { Vendor } from '@winnow/wire';
import type { HeadWriter } from '../exchange/head-writer.ts';
import { errorBody, PROXY_ERRORS, type ProxyError } from '../http/proxy-error.ts';

/** Bytes that may come after a refusal: more than two hosts have in flight between them at any time. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** By then a balancer has noticed that this proxy is about to stop. */
const RETRY_AFTER_SECONDS = '1';

/** Writes an error of the proxy's own as the response, or cuts the connection when the response has begun already. */
export function sendError(
  { outgoing, head }: { readonly outgoing: ServerResponse; readonly head: HeadWriter },
  error: ProxyError,
  vendor: Vendor,
): void {
  if (outgoing.headersSent) {
    // A cut connection is the one way left to say that the response is not whole.
    outgoing.destroy();
    return;
  }
  const body = errorBody(error, vendor);
  const { req: incoming } = outgoing;
  // A request that was destroyed can no longer be read to its end, to reach the next one on the connection.
  const ending = incoming.complete || !incoming.destroyed ? [] : ['connection', 'close'];
  if (!incoming.complete) discardRest(incoming, MAX_DISCARDED_BYTES);
  const length = String(Buffer.byteLength(body));
  head.write(PROXY_ERRORS[error.code], [
    'content-type',
    'application/json',
    'content-length',
    length,
    ...(error.code === 'draining' ? ['retry-after', RETRY_AFTER_SECONDS] : []),
    ...ending,
  ]);
  outgoing.end(body);
}
