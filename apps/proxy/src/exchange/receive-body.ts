import { BodyBytes } from '@winnow/wire';
import type { BodyReader, ClientRequest, RequestBody, StopReading } from '../http/client-request.ts';
import { ProxyError } from '../http/proxy-error.ts';
import type { Stallable, StallWatch, Watched } from '../http/stall-watch.ts';
import type { MemoryHold } from '../memory/request-memory.ts';

/** Limits of a body. */
export interface BodyRoom {
  /** Maximum size of this body, in bytes. */
  readonly limitBytes: number;
  /** Aborts the body when it stops making progress. */
  readonly stalls: StallWatch;
  /** The body's hold on the shared memory; the caller releases it. */
  readonly hold: MemoryHold;
}

/**
 * Receives the whole body of a request; resolves with undefined if there is no memory to hold it. The body
 * can then be read again from its beginning and forwarded as it arrives; its memory is returned as it goes
 * out.
 *
 * A body may arrive slowly, as inputs are large and connections slow, but it must make progress.
 *
 * Rejects with `body_too_large`, by its declared length or while it arrives; with `request_timeout`; and when
 * the client leaves.
 */
export function receiveBody(
  { headers, body }: Pick<ClientRequest, 'headers' | 'body'>,
  room: BodyRoom,
): Promise<BodyBytes | undefined> {
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > room.limitBytes) return Promise.reject(tooLarge(room.limitBytes));
  return new Promise((resolve, reject) => {
    new BodyReceiver(body, room, { resolve, reject }).begin();
  });
}

interface Settle {
  readonly resolve: (body: BodyBytes | undefined) => void;
  readonly reject: (error: Error) => void;
}

class BodyReceiver implements Stallable, BodyReader {
  readonly #body: RequestBody;
  readonly #room: BodyRoom;
  readonly #settle: Settle;
  readonly #watched: Watched;
  #stopReading: StopReading = () => {};
  #pieces: Buffer[] = [];
  #size = 0;
  #isOver = false;

  constructor(body: RequestBody, room: BodyRoom, settle: Settle) {
    this.#body = body;
    this.#room = room;
    this.#settle = settle;
    this.#watched = room.stalls.watch(this);
  }

  begin(): void {
    this.#room.hold.arrives(() => this.#giveBack());
    this.#stopReading = this.#body.readBy(this);
  }

  stalled(idleMs: number): void {
    this.onError(tooSlow(idleMs));
  }

  onPiece(piece: Buffer): void {
    const { limitBytes, hold } = this.#room;
    this.#watched.heard();
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#size > limitBytes) this.onError(tooLarge(limitBytes));
    else if (!hold.take(piece.length + PIECE_BYTES)) this.#giveBack();
  }

  onEnd(): void {
    this.#isOver = true;
    this.#watched.stop();
    this.#room.hold.arrived();
    this.#settle.resolve(new BodyBytes(this.#pieces));
    this.#pieces = [];
  }

  #giveBack(): void {
    // Held here, the pieces would stay in memory after they were sent.
    this.#stop(this.#pieces.splice(0));
    let left = this.#size;
    this.#body.tap((piece) => {
      left -= piece.length;
      if (left > 0) this.#room.hold.give(piece.length);
      else this.#room.hold.release();
    });
    this.#settle.resolve(undefined);
  }

  onError(error: Error): void {
    if (this.#isOver) return;
    this.#stop([]);
    this.#settle.reject(error);
  }

  #stop(putBack: readonly Buffer[]): void {
    this.#isOver = true;
    this.#watched.stop();
    this.#room.hold.arrived();
    this.#stopReading(putBack);
  }
}

/** Approximate memory per piece in addition to its bytes; it limits bodies that arrive in single bytes. */
const PIECE_BYTES = 256;

function tooLarge(limitBytes: number): ProxyError {
  return new ProxyError('body_too_large', `The request body is larger than ${limitBytes} bytes.`);
}

function tooSlow(idleMs: number): ProxyError {
  return new ProxyError('request_timeout', `The request body made no progress for ${idleMs} ms.`);
}
