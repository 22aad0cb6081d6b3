/** The control over a connection that a body needs: pausing, resuming and aborting its flow. */
export interface BodySource {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** The end of a body: its last byte, an error, or a reader that does not want the rest. */
export type BodyEnd =
  | { readonly kind: 'whole' | 'unwanted' }
  | { readonly kind: 'broken'; readonly error: Error };

/** Maximum number of buffered bytes; beyond this limit the upstream is slowed down. */
const MOST_HELD_BYTES = 64 * 1024;

/**
 * The bytes of an upstream's response as they arrive, still encoded if they were.
 *
 * A `Readable` does more and costs a third of forwarding a small response.
 *
 * Contract: one reader, which either takes pieces until none is left and waits for more (`take`, `onMore`),
 * or iterates. Bytes that arrived before the end or an error are delivered first. Slow reading slows the
 * upstream down; ending early closes its connection.
 */
export class UpstreamBody implements AsyncIterable<Buffer> {
  readonly #source: BodySource;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isPaused = false;
  #end: BodyEnd | undefined;
  #more: (() => void) | undefined;
  #tap: ((piece: Buffer) => void) | undefined;
  #first: (() => void) | undefined;
  #over: ((end: BodyEnd) => void) | undefined;

  /** A source that `isPaused` at first delivers nothing before the body has a reader. */
  constructor(source: BodySource, isPaused = false) {
    this.#source = source;
    this.#isPaused = isPaused;
  }

  /** The end of the body; undefined while pieces are left or may still arrive. */
  get end(): BodyEnd | undefined {
    return this.#held.length === 0 ? this.#end : undefined;
  }

  /** Returns the next piece; undefined if none is available. */
  take(): Buffer | undefined {
    const piece = this.#held.shift();
    if (piece === undefined) return undefined;
    this.#heldBytes -= piece.length;
    if (this.#held.length > 0) return piece;
    if (this.#end) this.#tellOver();
    else if (this.#isPaused) this.#resume();
    return piece;
  }

  /** Calls back when a piece is available or `end` is set; the reader checks which. */
  onMore(callBack: () => void): void {
    this.#more = callBack;
    if (this.#isPaused && this.#held.length === 0) this.#resume();
  }

  /**
   * Calls `see` with every piece as it arrives, after earlier taps, and at once with those already buffered. `see`
   * must not throw.
   */
  tap(see: (piece: Buffer) => void): void {
    for (const piece of this.#held) see(piece);
    const before = this.#tap;
    this.#tap =
      before === undefined
        ? see
        : (piece) => {
            before(piece);
            see(piece);
          };
  }

  /** Calls back once, when the first piece arrives, or at once if one has. */
  onFirst(callBack: () => void): void {
    if (this.#held.length > 0) callBack();
    else this.#first = callBack;
  }

  /** Calls back once, when the last piece is taken, or the body has broken off or is unwanted. */
  onOver(callBack: (end: BodyEnd) => void): void {
    this.#over = callBack;
    if (this.end) this.#tellOver();
  }

  /** Discards buffered and future pieces. A body that has ended stays so. */
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

  /** Adds a piece from the connection. */
  push(piece: Buffer): void {
    if (this.#end) return;
    if (this.#first !== undefined) this.#tellFirst();
    this.#tap?.(piece);
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    this.#more?.();
    if (this.#heldBytes < MOST_HELD_BYTES || this.#isPaused) return;
    this.#isPaused = true;
    this.#source.pause();
  }

  /** Reports that the connection delivered everything. */
  finish(): void {
    this.#settle({ kind: 'whole' });
  }

  /** Reports that the connection broke off. */
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

  #tellFirst(): void {
    const tell = this.#first;
    this.#first = undefined;
    tell?.();
  }

  #tellOver(): void {
    const tell = this.#over;
    this.#over = undefined;
    tell?.(this.#end!);
  }
}

/** Reads a body piece by piece; leaving early discards the rest. */
class BodyIterator implements AsyncIterator<Buffer, undefined> {
  readonly #body: UpstreamBody;
  #waiting: PromiseWithResolvers<IteratorResult<Buffer, undefined>> | undefined;

  constructor(body: UpstreamBody) {
    this.#body = body;
    body.onMore(() => this.#wake());
  }

  /** Supports one pending call at a time, as `for await` makes them. */
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

/** Reads at most the first `limitBytes` of a body and ignores the rest. Rejects if the body breaks off. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limitBytes: number,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size >= limitBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, limitBytes);
}
