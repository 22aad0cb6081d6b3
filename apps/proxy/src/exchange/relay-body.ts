import type { ResponsePlace } from '../http/response-place.ts';
import type { BodyEnd, UpstreamBody } from '../http/upstream-body.ts';

/**
 * Passes an upstream's body on as the body of a response whose head is written, and ends it; a slow reader
 * slows the upstream down. Resolves when everything is handed over to the system. Rejects when either side
 * breaks off: the upstream connection is then closed, and the caller must close the incomplete response.
 *
 * `length` is the declared length of the body in bytes; NaN if unknown. A known length identifies the last
 * piece, so that it can end the response with one write to the connection instead of two.
 */
export function relayBody(body: UpstreamBody, place: ResponsePlace, length = Number.NaN): Promise<void> {
  return new Promise((resolve, reject) => {
    place.onClose((isWhole) => {
      if (isWhole) return resolve();
      body.destroy();
      reject(new Error('the client disconnected before its response was complete'));
    });
    new Relay(body, place, length, reject).flow();
  });
}

/**
 * Relays available pieces; waits for the client when it is full, and for the upstream when it has no data.
 */
class Relay {
  readonly #body: UpstreamBody;
  readonly #place: ResponsePlace;
  readonly #fail: (error: Error) => void;
  /** Bytes yet to arrive; NaN if unknown. */
  #leftBytes: number;
  #isFlowing = false;
  #isWaiting = false;

  constructor(body: UpstreamBody, place: ResponsePlace, length: number, fail: (error: Error) => void) {
    this.#body = body;
    this.#place = place;
    this.#leftBytes = length;
    this.#fail = fail;
    body.onMore(() => this.flow());
  }

  flow(): void {
    // Taking the last piece may let the upstream send more at once, which must follow that piece.
    if (this.#isFlowing || this.#isWaiting) return;
    this.#isFlowing = true;
    for (let piece = this.#body.take(); piece !== undefined; piece = this.#body.take()) {
      if (!this.#write(piece)) break;
    }
    this.#isFlowing = false;
    if (!this.#isWaiting && this.#body.end) this.#finish(this.#body.end);
  }

  /** Writes a piece; returns whether the client is ready for more. */
  #write(piece: Buffer): boolean {
    this.#leftBytes -= piece.length;
    if (this.#leftBytes === 0) {
      this.#place.end(piece);
      return true;
    }
    if (this.#place.write(piece)) return true;
    this.#isWaiting = true;
    this.#place.onRoom(() => {
      this.#isWaiting = false;
      this.flow();
    });
    return false;
  }

  #finish(end: BodyEnd): void {
    // The last piece has already ended it.
    if (this.#place.isEnded) return;
    if (end.kind === 'whole') this.#place.end();
    else if (end.kind === 'broken') this.#fail(end.error);
  }
}
