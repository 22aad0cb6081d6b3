import type { Span } from '@winnow/service';
import type { RequestBody } from '../http/client-request.ts';
import type { ClientSignal } from '../http/client-signal.ts';
import type { RawHeaders } from '../http/headers.ts';
import type { UpstreamBody } from '../http/upstream-body.ts';
import type { Upstream } from './choose-upstream.ts';

export interface UpstreamRequest {
  readonly upstream: Upstream;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | RequestBody | null;
  /**
   * Longest silence of the upstream, in milliseconds; without it, the send waits as long as the client does.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Aborts when the client leaves. */
  readonly signal: ClientSignal;
  /** The parent span. */
  readonly span: Span;
}

/**
 * Sends a request to an upstream.
 *
 * Contract: resolves with the head of the upstream's response; rejects if there is no response or `signal`
 * aborts. Waits as long as the client does, without its own timeout. Never holds bytes back.
 */
export type SendUpstream = (request: UpstreamRequest) => Promise<UpstreamResponse>;

/** The head of an upstream's response, with the body yet to be read. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: UpstreamBody;
}
