import type { Dispatcher } from 'undici';
import type { ClientSignal, LeaveListener } from '../http/client-signal.ts';
import type { RawHeaders } from '../http/headers.ts';
import { UpstreamBody } from '../http/upstream-body.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';

type Controller = Dispatcher.DispatchController;

/**
 * Turns undici's callbacks for one request into a response, and aborts the request when the client leaves.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler, LeaveListener {
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
export function toStrings(headers: Controller['rawHeaders']): RawHeaders {
  if (!headers) return [];
  if (Array.isArray(headers))
    return headers.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((one) => [name, one]),
  );
}
