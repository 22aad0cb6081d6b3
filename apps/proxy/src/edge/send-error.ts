import type { ServerResponse } from 'node:http';
import { discardRest } from '@winnow/service';
import type { Vendor } from '@winnow/wire';
import type { HeadWriter } from '../exchange/head-writer.ts';
import { errorBody, PROXY_ERRORS, type ProxyError } from '../http/proxy-error.ts';

/**
 * Maximum number of bytes to discard after a refusal: more than two hosts ever have in flight between them.
 */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** The time after which a load balancer has noticed that this proxy is stopping, in seconds. */
const RETRY_AFTER_SECONDS = '1';

/**
 * Writes the proxy's own error as the response, or closes the connection if the response has already begun.
 */
export function sendError(
  { outgoing, head }: { readonly outgoing: ServerResponse; readonly head: HeadWriter },
  error: ProxyError,
  vendor: Vendor,
): void {
  if (outgoing.headersSent) {
    // Closing the connection is the only way left to show that the response is incomplete.
    outgoing.destroy();
    return;
  }
  const body = errorBody(error, vendor);
  const { req: incoming } = outgoing;
  // A destroyed request cannot be read to its end, so the next one on the connection is unreachable.
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
