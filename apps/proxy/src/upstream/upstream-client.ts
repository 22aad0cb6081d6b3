import type { Readable } from 'node:stream';
import { Agent } from '@winnow/service';
import type { Span } from '@winnow/tracing';
import type { ClientSignal } from '../client/client-signal.ts';
import type { Upstream } from './choose-upstream.ts';
import { ResponseHandler, type UpstreamResponse } from './response-handler.ts';

export type { UpstreamResponse };

/** One request to an upstream. */
export interface UpstreamRequest {
  readonly upstream: Upstream;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | Readable | null;
  /** How long the upstream may send nothing, in milliseconds; as long as the client waits when it is left out. */
  readonly idleTimeoutMs?: number | undefined;
  /** Aborts when the client leaves. */
  readonly signal: ClientSignal;
  /** What it is a part of, in a trace. */
  readonly span: Span;
}

/**
 * Sends a request to an upstream.
 *
 * Contract: resolves with the head of whatever the upstream responds, rejects when there is no response or `signal` aborts. Waits
 * as long as the client does: there is no time limit of its own. Bytes are never held back.
 */
export type SendUpstream = (request: UpstreamRequest) => Promise<UpstreamResponse>;

/** A pool of connections to all upstreams, and the way to close it. */
export interface UpstreamClient {
  readonly send: SendUpstream;
  close(): Promise<void>;
}

/** How long a connection to an upstream that cannot be reached is tried, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Creates the pool. */
export function createUpstreamClient(): UpstreamClient {
  // A model may think for many minutes before its first byte: only the client's patience counts.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_TIMEOUT_MS } });
  return {
    send: ({ upstream, method, path, headers, body, idleTimeoutMs = 0, signal }) =>
      new Promise((resolve, reject) => {
        if (signal.reason) return reject(signal.reason);
        const handler = new ResponseHandler(signal, resolve, reject);
        // `request` and `stream` of undici make a stream, an async resource and an abort listener for every response.
        agent.dispatch(
          {
            origin: upstream.origin,
            path,
            method: method as 'POST',
            headers,
            body,
            headersTimeout: idleTimeoutMs,
            bodyTimeout: idleTimeoutMs,
          },
          handler,
        );
      }),
    close: () => agent.destroy(),
  };
}
