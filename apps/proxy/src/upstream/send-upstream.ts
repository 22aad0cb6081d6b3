import type { Span } from '@winnow/tracing';
import type { RequestBody } from '../http/client-request.ts';
import type { ClientSignal } from '../http/client-signal.ts';
import type { RawHeaders } from '../http/headers.ts';
import type { UpstreamBody } from '../http/upstream-body.ts';
import type { Upstream } from './choose-upstream.ts';

/** One request to an upstream. */
export interface UpstreamRequest {
  readonly upstream: Upstream;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | RequestBody | null;
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

/** The head of an upstream's response, and its body still to be read. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: UpstreamBody;
}
