/** The part of a connection that a body needs: what flows can be stopped for a while, and for good. */
export interface BodySource {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** The end of a body: its last byte, an error, or a reader that does not want the rest. */
export type BodyEnd =
  | { readonly kind: 'whole' | 'unwanted' }
  | { readonly kind: 'broken'; readonly error: Error };

/** Bytes that wait for their reader; beyond them, the upstream is slowed down. */
const MOST_HELD_BYTES = 64 * 1024;

/**
 * The bytes of an upstream's response, as they come, encoded or not.
 *
 * A `Readable` does more, and costs a third of what forwarding a small response costs.
 *
 * Contract: for one reader, which takes pieces until there are none and is told when there are more (`take`, `onMore`), or iterates.
 * Bytes that came before the end or an error are given before it. Reading slowly slows the upstream down; ending early closes its
 * connection.
 */
export class UpstreamBody implements AsyncIterable<Buffer> {
  readonly #source: BodySource;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isPaused = false;
  #end: BodyEnd | undefined;
  #more: (() => void) | undefined;
  #tap: ((piece: Buffer) => void) | undefined;
  #over: ((end: BodyEnd) => void) | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** The end of the body; undefined as long as there is, or may be, something to take. */
  get end(): BodyEnd | undefined {
    return this.#held.length === 0 ? this.#end : undefined;
  }

  /** The next piece; undefined when none is there. */
  take(): Buffer | undefined {
    const piece = this.#held.shift();
    if (piece === undefined) return undefined;
    this.#heldBytes -= piece.length;
    if (this.#held.length > 0) return piece;
    if (this.#end) this.#tellOver();
    else if (this.#isPaused) this.#resume();
    return piece;
  }

  /** Calls back whenever there is something to take, or `end` is set; the reader looks for itself what it is. */
  onMore(callBack: () => void): void {
    this.#more = callBack;
  }

  /** Shows every piece, those included that are there already, when it comes. Must not throw. */
  tap(see: (piece: Buffer) => void): void {
    for (const piece of this.#held) see(piece);
    this.#tap = see;
  }

  /** Calls back once when the last piece is taken, or the body has broken, or is unwanted. */
  onOver(callBack: (end: BodyEnd) => void): void {
    this.#over = callBack;
    if (this.end) this.#tellOver();
  }

  /** Throws away what is there and what may still come. A body that is over stays so. */
  destroy(): void {
    const isOpen = this.#end === undefined;
    if (!isOpen && this.#held.length === 0) return;
    this.#held = [];
    this.#end = { kind: 'unwanted' };
    if (isOpen) this.#source.abort(new Error('the rest of the response is not wanted'));
    this.#tellOver();
    this.#more?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    return new BodyIterator(this);
  }

  /** Takes a piece from the connection. */
  push(piece: Buffer): void {
    if (this.#end) return;
    this.#tap?.(piece);
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    this.#more?.();
    if (this.#heldBytes < MOST_HELD_BYTES || this.#isPaused) return;
    this.#isPaused = true;
    this.#source.pause();
  }

  /** The connection has given everything. */
  finish(): void {
    this.#settle({ kind: 'whole' });
  }

  /** The connection broke off. */
  fail(error: Error): void {
    this.#settle({ kind: 'broken', error });
  }

  #settle(end: BodyEnd): void {
    if (this.#end) return;
    this.#end = end;
    if (this.#held.length === 0) this.#tellOver();
    this.#more?.();
  }

  #resume(): void {
    this.#isPaused = false;
    this.#source.resume();
  }

  #tellOver(): void {
    const tell = this.#over;
    this.#over = undefined;
    tell?.(this.#end!);
  }
}

/** Reads a body piece by piece; leaving it early throws the rest away. */
class BodyIterator implements AsyncIterator<Buffer, undefined> {
  readonly #body: UpstreamBody;
  #waiting: PromiseWithResolvers<IteratorResult<Buffer, undefined>> | undefined;

  constructor(body: UpstreamBody) {
    this.#body = body;
    body.onMore(() => this.#wake());
  }

  /** One call at a time, as `for await` makes them. */
  next(): Promise<IteratorResult<Buffer, undefined>> {
    const value = this.#body.take();
    if (value !== undefined) return Promise.resolve({ value, done: false });
    const { end } = this.#body;
    if (end) return resultOf(end);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#body.destroy();
    return DONE;
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    waiting.resolve(this.next());
  }
}

const DONE = { value: undefined, done: true } as const;

function resultOf(end: BodyEnd): Promise<IteratorResult<Buffer, undefined>> {
  return end.kind === 'broken' ? Promise.reject(end.error) : Promise.resolve(DONE);
}
