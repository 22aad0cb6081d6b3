import type { ClientRequest } from '../http/client-request.ts';
import type { ClientSignal } from '../http/client-signal.ts';
import type { ResponsePlace } from '../http/response-place.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { HeadWriter } from './head-writer.ts';

/** One request on its way through the proxy. */
export interface IncomingExchange {
  readonly request: ClientRequest;
  readonly response: ResponsePlace;
  /** The only writer of the head of `response`. */
  readonly head: HeadWriter;
  readonly target: Target;
  /** The name of the client's token; undefined if it has none. */
  readonly token?: string | undefined;
  /** Tells its sender from others, as text that must not outlive it; undefined if nothing does. */
  readonly sender?: string | undefined;
  /** Aborts when the client leaves before its response is complete. */
  readonly signal: ClientSignal;
  /**
   * Passes an upstream's response unchanged to a client in this process; returns false if parts of it were
   * read. Undefined for a client on a connection, to which bytes are relayed.
   */
  readonly handOver?: ((response: UpstreamResponse) => boolean) | undefined;
}
