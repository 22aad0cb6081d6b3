import type { IncomingMessage } from 'node:http';
import type { RolloutArm } from '@winnow/contract';
import type { Span } from '@winnow/tracing';
import type { Format, Purpose } from '@winnow/wire';
import type { HeadWriter } from '../client/head-writer.ts';
import type { Onlooker } from '../exchange/forward-untouched.ts';
import { originOf, type RequestOrigin } from '../sessions/clues-of.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import { headerValue } from '../upstream/request-headers.ts';
import type { UpstreamResponse } from '../upstream/upstream-client.ts';
import { BodyCopy, type BodyCopyOptions } from './body-copy.ts';
import { HeldBody } from './held-body.ts';
import type { ObservationOrder } from './observation-order.ts';
import { watchBody } from './watch-body.ts';

/** An exchange that is watched. */
export interface WatchedExchange {
  readonly arm: RolloutArm;
  readonly head: Pick<HeadWriter, 'requestId'>;
  readonly incoming: IncomingMessage;
  readonly target: Target;
  readonly format: Format;
  readonly purpose: Purpose;
  readonly span: Pick<Span, 'headers'>;
}

/** Keeps what passes by of an exchange that is forwarded as it is, as far as there is room for it. */
export class ExchangeWatch implements Onlooker {
  readonly #exchange: WatchedExchange;
  /** Taken at once: a connection that has ended has no address any more. */
  readonly #origin: RequestOrigin;
  readonly #request: HeldBody;
  readonly #answer: BodyCopy;
  #response: UpstreamResponse | undefined;

  constructor(exchange: WatchedExchange, room: BodyCopyOptions) {
    this.#exchange = exchange;
    this.#origin = originOf(exchange.incoming, exchange.target);
    this.#request = new HeldBody(room);
    this.#answer = new BodyCopy(room);
  }

  /** Whether the request came to its end. One that did not is nothing that could be observed. */
  get isWhole(): boolean {
    return this.#exchange.incoming.complete;
  }

  /** Whether there was no room for what passed by. */
  get isGivenUp(): boolean {
    return this.#request.isGivenUp || this.#answer.isGivenUp;
  }

  seeRequest(body: IncomingMessage): void {
    watchBody(body, (piece) => this.#request.add(piece));
  }

  /** Takes a request that was read already. */
  takeRequest(body: Uint8Array): void {
    this.#request.add(body);
  }

  seeAnswer(response: UpstreamResponse): void {
    const isGood = response.status >= 200 && response.status <= 299;
    // What the model called is asked for in `shadow` only.
    if (!isGood || this.#exchange.arm !== 'shadow') return;
    this.#response = response;
    watchBody(response.body, (piece) => this.#answer.add(piece));
  }

  /** What was seen, as plain data. The bytes of the answer are for the caller alone, those of the request are not. */
  toOrder(): ObservationOrder {
    const { arm, head, incoming, format, purpose, span } = this.#exchange;
    return {
      requestId: head.requestId,
      trace: span.headers,
      arm,
      format: format.name,
      purpose,
      origin: this.#origin,
      request: { pieces: this.#request.pieces, contentEncoding: incoming.headers['content-encoding'] },
      answer: this.#response && {
        bytes: this.#answer.bytes(),
        contentType: headerValue(this.#response.headers, 'content-type'),
        contentEncoding: headerValue(this.#response.headers, 'content-encoding'),
      },
    };
  }

  /** Drops what was kept and what may still come. */
  giveUp(): void {
    this.#request.giveUp();
    this.#answer.giveUp();
  }
}
