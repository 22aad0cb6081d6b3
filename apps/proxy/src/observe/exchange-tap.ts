import type { RolloutArm } from '@winnow/core';
import type { Span } from '@winnow/service';
import type { Format, Purpose } from '@winnow/wire';
import { profiledRequest } from '../config/profiles.ts';
import type { ClientRequest, RequestBody } from '../http/client-request.ts';
import { headerValue } from '../http/headers.ts';
import { isGood } from '../http/is-good.ts';
import type { ClientIdentity } from '../sessions/client-identity.ts';
import { clientAddress, type Target } from '../upstream/choose-upstream.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { Tap } from '../upstream/tap.ts';
import { BodyCopy, HeldBody, type KeptBodyOptions } from './kept-body.ts';
import type { ObservationOrder } from './observation-order.ts';

export interface TappedExchange {
  readonly arm: RolloutArm;
  readonly head: { readonly requestId: string };
  readonly request: Pick<ClientRequest, 'headers' | 'body'>;
  readonly target: Target;
  readonly format: Format;
  readonly purpose: Purpose;
  readonly identity: Pick<ClientIdentity, 'origin'>;
  readonly span: Pick<Span, 'headers'>;
  readonly token?: string | undefined;
}

/** Keeps the traffic of an exchange that is forwarded unchanged, within its limits. */
export class ExchangeTap implements Tap {
  readonly #exchange: TappedExchange;
  readonly #request: HeldBody;
  readonly #body: BodyCopy;
  #response: UpstreamResponse | undefined;

  constructor(exchange: TappedExchange, room: KeptBodyOptions) {
    this.#exchange = exchange;
    this.#request = new HeldBody(room);
    this.#body = new BodyCopy(room);
  }

  /** Whether the request was complete. An incomplete one cannot be observed. */
  get isWhole(): boolean {
    return this.#exchange.request.body.isWhole;
  }

  /** Whether the traffic exceeded a limit. */
  get isGivenUp(): boolean {
    return this.#request.isGivenUp || this.#body.isGivenUp;
  }

  seeRequest(body: RequestBody): void {
    body.tap((piece) => this.#request.add(piece));
  }

  /** Adds a request that has already been read. */
  takeRequest(body: Uint8Array): void {
    this.#request.add(body);
  }

  seeResponse(response: UpstreamResponse): void {
    // Only `shadow` needs the model's calls.
    if (!isGood(response) || this.#exchange.arm !== 'shadow') return;
    this.#response = response;
    response.body.tap((piece) => this.#body.add(piece));
  }

  /**
   * Returns the traffic as plain data. The caller owns the bytes of the response, but not those of the
   * request.
   */
  toOrder(): ObservationOrder {
    const { arm, head, request, target, identity, format, purpose, span } = this.#exchange;
    return {
      requestId: head.requestId,
      trace: span.headers,
      arm,
      format: format.name,
      purpose,
      address: clientAddress(target),
      origin: identity.origin,
      profiled: profiledRequest(this.#exchange),
      request: {
        pieces: this.#request.pieces,
        contentEncoding: request.headers['content-encoding']?.toString(),
      },
      response: this.#response && {
        bytes: this.#body.bytes(),
        contentType: headerValue(this.#response.headers, 'content-type'),
        contentEncoding: headerValue(this.#response.headers, 'content-encoding'),
      },
    };
  }

  /** Drops the traffic, and ignores what follows. */
  giveUp(): void {
    this.#request.giveUp();
    this.#body.giveUp();
  }
}
