import { Readable } from 'node:stream';
import { Agent } from '@winnow/service';
import type { SendUpstream, UpstreamRequest } from '../upstream/send-upstream.ts';
import { NodeRequest } from './node-request.ts';
import { ResponseHandler } from './response-handler.ts';

/** A pool of connections to all upstreams, with a way to close it. */
export interface UpstreamClient {
  readonly send: SendUpstream;
  close(): Promise<void>;
}

/** Time limit of a connection attempt, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Creates the pool. */
export function createUpstreamClient(): UpstreamClient {
  // A model may think for many minutes before its first byte: only the client sets a time limit.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_TIMEOUT_MS } });
  return {
    send: ({ upstream, method, path, headers, body, idleTimeoutMs = 0, signal }) =>
      new Promise((resolve, reject) => {
        if (signal.reason) return reject(signal.reason);
        const handler = new ResponseHandler(signal, resolve, reject);
        // undici's `request` and `stream` create a stream, an async resource and an abort listener for every
        // response.
        agent.dispatch(
          {
            origin: upstream.origin,
            path,
            method: method as 'POST',
            headers,
            body: toNode(body),
            headersTimeout: idleTimeoutMs,
            bodyTimeout: idleTimeoutMs,
          },
          handler,
        );
      }),
    close: () => agent.destroy(),
  };
}

/** Passes on Node's own request unchanged: a stream around it would cost as much as the forwarding. */
function toNode(body: UpstreamRequest['body']): Buffer | Readable | null {
  if (body instanceof NodeRequest) return body.incoming;
  return body === null || body instanceof Uint8Array ? body : Readable.from(body);
}
