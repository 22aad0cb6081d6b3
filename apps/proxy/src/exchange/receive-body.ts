import type { IncomingMessage } from 'node:http';
import { BodyBytes } from '@winnow/wire';
import { ProxyError } from '../http/proxy-error.ts';
import type { Stallable, StallWatch, Watched } from '../http/stall-watch.ts';
import type { MemoryHold } from '../memory/request-memory.ts';

/** What a body may take. */
export interface BodyRoom {
  /** Most bytes of this body. */
  readonly limitBytes: number;
  /** Ends it when it stands still. */
  readonly stalls: StallWatch;
  /** What it takes of the memory that all requests share; the caller releases it. */
  readonly hold: MemoryHold;
}

/**
 * The whole body of a request, as it came; undefined when there is no memory to hold it. Then `incoming` gives it once more from its
 * beginning, to be forwarded while it comes, and what it takes of the memory is given back as it goes out.
 *
 * A body may come slowly, as models' inputs are large and lines are thin, but it must go on coming.
 *
 * Rejects with `body_too_large`, from its announced length or while it arrives, and with `request_timeout`; and when the client leaves.
 */
export function receiveBody(incoming: IncomingMessage, room: BodyRoom): Promise<BodyBytes | undefined> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > room.limitBytes) return Promise.reject(tooLarge(room.limitBytes));
  return new Promise((resolve, reject) => {
    new BodyReceiver(incoming, room, { resolve, reject }).begin();
  });
}

interface Settle {
  readonly resolve: (body: BodyBytes | undefined) => void;
  readonly reject: (error: Error) => void;
}

class BodyReceiver implements Stallable {
  readonly #incoming: IncomingMessage;
  readonly #room: BodyRoom;
  readonly #settle: Settle;
  readonly #watched: Watched;
  #pieces: Buffer[] = [];
  #size = 0;
  #isOver = false;

  constructor(incoming: IncomingMessage, room: BodyRoom, settle: Settle) {
    this.#incoming = incoming;
    this.#room = room;
    this.#settle = settle;
    this.#watched = room.stalls.watch(this);
  }

  begin(): void {
    this.#room.hold.arrives(() => this.#giveBack());
    this.#incoming
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('error', (error) => this.#fail(error))
      .on('aborted', () => this.#fail(new Error('the client left before its request was whole')));
  }

  stalled(idleMs: number): void {
    this.#fail(tooSlow(idleMs));
  }

  readonly #onData = (piece: Buffer): void => {
    const { limitBytes, hold } = this.#room;
    this.#watched.heard();
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#size > limitBytes) this.#fail(tooLarge(limitBytes));
    else if (!hold.take(piece.length + PIECE_BYTES)) this.#giveBack();
  };

  readonly #onEnd = (): void => {
    this.#isOver = true;
    this.#watched.stop();
    this.#room.hold.arrived();
    this.#settle.resolve(new BodyBytes(this.#pieces));
    this.#pieces = [];
  };

  #giveBack(): void {
    this.#stop();
    // The last one first, so that they come out in their order; kept here, they would outlive their way to the upstream.
    for (const taken of this.#pieces.splice(0).reverse()) this.#incoming.unshift(taken);
    let left = this.#size;
    // It was stopped, and does not flow because of this; whoever forwards it makes it flow.
    this.#incoming.on('data', (piece: Buffer) => {
      left -= piece.length;
      if (left > 0) this.#room.hold.give(piece.length);
      else this.#room.hold.release();
    });
    this.#settle.resolve(undefined);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#stop();
    this.#settle.reject(error);
  }

  #stop(): void {
    this.#isOver = true;
    this.#watched.stop();
    this.#room.hold.arrived();
    this.#incoming.off('data', this.#onData).off('end', this.#onEnd).pause();
  }
}

/** What a piece takes beside its bytes, roughly: bodies that come in single bytes are bounded by it. */
const PIECE_BYTES = 256;

function tooLarge(limitBytes: number): ProxyError {
  return new ProxyError('body_too_large', `The request body is larger than ${limitBytes} bytes.`);
}

function tooSlow(idleMs: number): ProxyError {
  return new ProxyError('request_timeout', `The request body did not go on for ${idleMs} ms.`);
}
