import { type Duplex, Readable } from 'node:stream';
import { openHttpPool } from '@winnow/service';
import type { Dispatcher } from 'undici';
import type { ClientSignal, LeaveListener } from './client.ts';
import type { RawHeaders } from './headers.ts';
import type { SendUpstream, UpstreamRequest, UpstreamResponse } from './send-upstream.ts';
import { UpstreamBody } from './upstream-body.ts';

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
  if (body === null || body instanceof Uint8Array) return body;
  return body.stream ?? Readable.from(body);
}

/** The upstream's answer to a request for a WebSocket. */
type UpgradeOutcome =
  /** It agreed: `socket` carries what it sends from now on. */
  | { readonly kind: 'switched'; readonly headers: RawHeaders; readonly socket: Duplex }
  | { readonly kind: 'answered'; readonly response: UpstreamResponse };

type Controller = Dispatcher.DispatchController;

/**
 * Turns undici's callbacks for one request into a response, and aborts the request when the client leaves.
 */
class ResponseHandler implements Dispatcher.DispatchHandler, LeaveListener {
  readonly #signal: ClientSignal;
  readonly #resolve: (response: UpstreamResponse) => void;
  readonly #reject: (error: Error) => void;
  #controller: Controller | undefined;
  #body: UpstreamBody | undefined;

  constructor(
    signal: ClientSignal,
    resolve: (response: UpstreamResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.add(this);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // The client may have left while the connection was being made.
    if (this.#signal.reason) controller.abort(this.#signal.reason);
  }

  onResponseStart(controller: Controller, status: number): void {
    // Interim responses are meant for the next hop only.
    if (status < 200) return;
    this.#body = new UpstreamBody(controller);
    this.#resolve({ status, headers: toStrings(controller.rawHeaders), body: this.#body });
  }

  onResponseData(_controller: Controller, piece: Buffer): void {
    this.#body?.push(piece);
  }

  onResponseEnd(): void {
    this.#signal.remove(this);
    this.#body?.finish();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#signal.remove(this);
    if (this.#body) this.#body.fail(error);
    else this.#reject(error);
  }

  onLeave(reason: Error): void {
    if (this.#controller) this.#controller.abort(reason);
    else this.#reject(reason);
  }
}

/** Returns headers, decoded byte for byte, as non-ASCII headers declare no encoding. HTTP/2 gives an object. */
function toStrings(headers: Controller['rawHeaders']): RawHeaders {
  if (!headers) return [];
  if (Array.isArray(headers))
    return headers.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((one) => [name, one]),
  );
}

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
