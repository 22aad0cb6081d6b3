import { type Duplex, Readable } from 'node:stream';
import { openHttpPool } from '@winnow/service';
import type { Dispatcher } from 'undici';
import type { ClientSignal } from '../http/client-signal.ts';
import type { RawHeaders } from '../http/headers.ts';
import type { SendUpstream, UpstreamRequest, UpstreamResponse } from '../upstream/send-upstream.ts';
import { NodeRequest } from './node-request.ts';
import { ResponseHandler, toStrings } from './response-handler.ts';

/** A pool of connections to all upstreams, with a way to close it. */
interface UpstreamClient {
  readonly send: SendUpstream;
  readonly openWebSocket: OpenWebSocket;
  close(): Promise<void>;
}

/**
 * Asks an upstream for a WebSocket. Rejects if there is no response or `signal` aborts before it; afterwards
 * the caller closes the connection.
 */
export type OpenWebSocket = (
  request: Pick<UpstreamRequest, 'upstream' | 'path' | 'headers' | 'signal'>,
) => Promise<UpgradeOutcome>;

/** Time limit of a connection attempt, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Creates the pool. */
export function createUpstreamClient(): UpstreamClient {
  // A model may think for many minutes before its first byte: only the client sets a time limit.
  const options = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_TIMEOUT_MS } };
  const agent = openHttpPool(options);
  // Over HTTP/2, most servers offer no WebSockets.
  const webSockets = openHttpPool({ ...options, allowH2: false });
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
    openWebSocket: ({ upstream, path, headers, signal }) =>
      new Promise((resolve, reject) => {
        if (signal.reason) return reject(signal.reason);
        webSockets.dispatch(
          { origin: upstream.origin, path, method: 'GET', headers, upgrade: 'websocket' },
          new UpgradeHandler(signal, resolve, reject),
        );
      }),
    close: async () => {
      await Promise.all([agent.destroy(), webSockets.destroy()]);
    },
  };
}

/** Passes on Node's own request unchanged: a stream around it would cost as much as the forwarding. */
function toNode(body: UpstreamRequest['body']): Buffer | Readable | null {
  if (body instanceof NodeRequest) return body.incoming;
  return body === null || body instanceof Uint8Array ? body : Readable.from(body);
}

/** The upstream's answer to a request for a WebSocket. */
type UpgradeOutcome =
  /** It agreed: `socket` carries what it sends from now on. */
  | { readonly kind: 'switched'; readonly headers: RawHeaders; readonly socket: Duplex }
  | { readonly kind: 'answered'; readonly response: UpstreamResponse };

/** Turns undici's callbacks for an upgrade into its outcome. */
class UpgradeHandler extends ResponseHandler {
  readonly #signal: ClientSignal;
  readonly #resolve: (outcome: UpgradeOutcome) => void;

  constructor(
    signal: ClientSignal,
    resolve: (outcome: UpgradeOutcome) => void,
    reject: (error: Error) => void,
  ) {
    super(signal, (response) => resolve({ kind: 'answered', response }), reject);
    this.#signal = signal;
    this.#resolve = resolve;
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    _status: number,
    _headers: unknown,
    socket: Duplex,
  ): void {
    this.#signal.remove(this);
    this.#resolve({ kind: 'switched', headers: toStrings(controller.rawHeaders), socket });
  }
}
