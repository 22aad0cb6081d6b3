import type { Readable } from 'node:stream';
import type { Span } from '@winnow/tracing';
import { Agent } from 'undici';
import type { Upstream } from './choose-upstream.ts';
import type { RawHeaders } from './request-headers.ts';

/** One request to an upstream. */
export interface UpstreamRequest {
  readonly upstream: Upstream;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | Readable | null;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** What it is a part of, in a trace. */
  readonly span: Span;
}

/** The head of an upstream's answer, and its body still to be read. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: RawHeaders;
  /** As sent, encoded or not. Reading slowly slows the upstream down; destroying it closes the connection. */
  readonly body: Readable;
}

/**
 * Sends a request to an upstream.
 *
 * Contract: resolves with the head of whatever the upstream answers, rejects when there is no answer or `signal` aborts. Waits
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
    async send({ upstream, method, path, headers, body, signal }) {
      const response = await agent.request({
        origin: upstream.origin,
        path,
        method: method as 'POST',
        headers,
        body,
        signal,
        responseHeaders: 'raw',
      });
      // Who reads the body is told of its errors all the same; a body that is thrown away has nobody to tell.
      response.body.on('error', () => {});
      const rawHeaders = response.headers as unknown as readonly (Buffer | string)[];
      return { status: response.statusCode, headers: rawHeaders.map(String), body: response.body };
    },
    close: () => agent.destroy(),
  };
}
