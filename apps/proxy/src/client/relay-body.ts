import type { ServerResponse } from 'node:http';
import type { BodyEnd, UpstreamBody } from '../upstream/upstream-body.ts';

/**
 * Passes an upstream's body on as the body of a response whose head is written, and ends it; a slow reader slows the upstream down.
 * Resolves when everything is handed over to the system. Rejects when either side breaks off: the upstream is left then, and the
 * response, of which a part is missing, is left to the caller to cut.
 */
export function relayBody(body: UpstreamBody, outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.once('close', () => {
      if (outgoing.writableFinished) return resolve();
      body.destroy();
      reject(new Error('the client left before its response was whole'));
    });
    new Relay(body, outgoing, reject).flow();
  });
}

/** Takes what is there, and waits for the client where it has no room, and for the upstream where it has nothing. */
class Relay {
  readonly #body: UpstreamBody;
  readonly #outgoing: ServerResponse;
  readonly #fail: (error: Error) => void;
  #isFlowing = false;
  #isWaiting = false;

  constructor(body: UpstreamBody, outgoing: ServerResponse, fail: (error: Error) => void) {
    this.#body = body;
    this.#outgoing = outgoing;
    this.#fail = fail;
    body.onMore(() => this.flow());
  }

  flow(): void {
    // Taking the last piece may let the upstream send more at once, which belongs behind that piece.
    if (this.#isFlowing || this.#isWaiting) return;
    this.#isFlowing = true;
    for (let piece = this.#body.take(); piece !== undefined; piece = this.#body.take()) {
      if (!this.#write(piece)) break;
    }
    this.#isFlowing = false;
    if (!this.#isWaiting && this.#body.end) this.#finish(this.#body.end);
  }

  /** Whether there is room for more. */
  #write(piece: Buffer): boolean {
    if (this.#outgoing.write(piece)) return true;
    this.#isWaiting = true;
    this.#outgoing.once('drain', () => {
      this.#isWaiting = false;
      this.flow();
    });
    return false;
  }

  #finish(end: BodyEnd): void {
    if (end.kind === 'whole') this.#outgoing.end();
    else if (end.kind === 'broken') this.#fail(end.error);
  }
}
