import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ClientSignal } from '../http/client-signal.ts';
import type { RawHeaders } from '../http/headers.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { ResponseHandler, toStrings } from './response-handler.ts';

/** The upstream's answer to a request for a WebSocket. */
export type UpgradeOutcome =
  /** It agreed: `socket` carries what it sends from now on. */
  | { readonly kind: 'switched'; readonly headers: RawHeaders; readonly socket: Duplex }
  | { readonly kind: 'answered'; readonly response: UpstreamResponse };

/** Turns undici's callbacks for an upgrade into its outcome. */
export class UpgradeHandler extends ResponseHandler {
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
