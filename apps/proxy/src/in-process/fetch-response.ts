import type { ResponsePlace } from '../upstream/client.ts';

/** Receives the response when its head is sent, or the error that it has instead. */
interface Settle {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes that may wait for a slow reader before the exchange does. */
const MOST_WAITING_BYTES = 64 * 1024;

const THIS_TURN = Promise.resolve();

/** Statuses whose responses have no body, 0 for redirects not followed: https://fetch.spec.whatwg.org/#null-body-status. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([0, 204, 205, 304]);

/**
 * A response of the Fetch API as an exchange's response place. One that ends with its first piece is whole;
 * any other is a stream.
 */
export class FetchResponse implements ResponsePlace {
  hasStarted = false;
  status = 200;
  isEnded = false;
  /** Released when the head is sent: only the caller may keep the response alive. */
  #settle: Settle | undefined;
  readonly #upstream: () => Response | undefined;
  #headers: readonly string[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Text that was written in this turn, and becomes one piece of the stream at its end. */
  #text = '';
  #stream: ReadableStream | undefined;
  #unread: Unread | undefined;
  #onRoom: (() => void) | undefined;
  readonly #onClose: ((isWhole: boolean) => void)[] = [];

  /** `upstream` returns the provider's last response, which the response resembles. */
  constructor(settle: Settle, upstream: () => Response | undefined) {
    this.#settle = settle;
    this.#upstream = upstream;
  }

  get isFull(): boolean {
    return this.#controller !== undefined && this.#controller.desiredSize! <= this.#text.length;
  }

  writeHead(status: number, headers: string[]): void {
    this.hasStarted = true;
    this.status = status;
    this.#headers = headers;
  }

  flushHead(): void {
    this.#open();
  }

  /** A piece of the upstream often has several events, written one by one: the caller reads them as one. */
  write(piece: Uint8Array | string): boolean {
    if (this.isEnded) return true;
    const controller = this.#open();
    if (typeof piece === 'string') {
      if (this.#text === '') THIS_TURN.then(() => this.#enqueueText());
      this.#text += piece;
    } else {
      this.#enqueueText();
      controller.enqueue(bytesOf(piece));
    }
    return !this.isFull;
  }

  onRoom(callBack: () => void): void {
    this.#onRoom = callBack;
  }

  end(piece: Uint8Array | string = '', onOver: () => void = () => {}): void {
    if (!this.isEnded) {
      if (this.#controller === undefined) this.#begin(bytesOf(piece));
      else {
        if (piece.length > 0) this.write(piece);
        this.#enqueueText();
        this.#controller.close();
      }
      this.#close(true);
    }
    onOver();
  }

  onClose(callBack: (isWhole: boolean) => void): void {
    this.#onClose.push(callBack);
  }

  /** Makes an upstream's response this one; it is not read. */
  become(response: Response): void {
    this.hasStarted = true;
    this.status = response.status;
    this.#settle?.resolve(response);
    this.#close(true);
  }

  /** Ends the response with an error for its reader: before the head, or as the end of its body. */
  fail(error: unknown): void {
    if (this.isEnded) return;
    if (this.hasStarted) {
      this.#enqueueText();
      this.#open().error(error);
    } else this.#settle?.reject(error);
    this.#close(false);
  }

  #enqueueText(): void {
    if (this.isEnded || this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#controller!.enqueue(bytesOf(text));
  }

  /** Ends the exchange of a response that was dropped, unless its body is still being read. */
  leaveUnread(): void {
    if (!this.#stream?.locked) this.#close(false);
  }

  #open(): ReadableStreamDefaultController<Uint8Array> {
    if (this.#controller !== undefined) return this.#controller;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#tellRoom(),
        cancel: () => this.#close(false),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
    );
    this.#stream = stream;
    this.#unread = { place: this };
    UNREAD.register(this.#begin(stream), this.#unread, this.#unread);
    return this.#controller!;
  }

  #begin(body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>): Response {
    const upstream = this.#upstream();
    const { status } = this;
    const statusText = upstream?.status === status ? upstream.statusText : '';
    const isConstructible = status >= 200 && status <= 599;
    const response = new Response(
      WITHOUT_BODY.has(status) ? null : body,
      isConstructible ? { status, statusText } : { statusText },
    );
    // Given to the constructor, they would be copied once more.
    for (let at = 0; at < this.#headers.length; at += 2)
      response.headers.append(this.#headers[at]!, this.#headers[at + 1]!);
    if (!isConstructible) {
      define(response, 'status', status);
      define(response, 'ok', false);
    }
    if (upstream !== undefined) resemble(response, upstream);
    this.#settle?.resolve(response);
    this.#settle = undefined;
    return response;
  }

  #tellRoom(): void {
    const tell = this.#onRoom;
    this.#onRoom = undefined;
    tell?.();
  }

  #close(isWhole: boolean): void {
    if (this.isEnded) return;
    this.isEnded = true;
    if (this.#unread !== undefined) {
      UNREAD.unregister(this.#unread);
      this.#unread.place = undefined;
    }
    for (const tell of this.#onClose) tell(isWhole);
  }
}

/**
 * The place of a response that may be dropped unread. It is emptied at the end: a registry lets go of what it holds
 * only at a full collection, even of what is no longer registered.
 */
interface Unread {
  place: FetchResponse | undefined;
}

/** Ends the exchanges of responses that their callers have dropped unread, as the runtimes' own `fetch` does. */
const UNREAD = new FinalizationRegistry<Unread>(({ place }) => place?.leaveUnread());

/** A constructed response has no address, although its reader asked for one. */
function resemble(response: Response, { url, redirected, type }: Response): void {
  define(response, 'url', url);
  define(response, 'redirected', redirected);
  define(response, 'type', type);
}

function define<Name extends keyof Response>(response: Response, name: Name, value: Response[Name]): void {
  Object.defineProperty(response, name, { value });
}

const encoder = new TextEncoder();

function bytesOf(piece: Uint8Array | string): Uint8Array<ArrayBuffer> {
  if (typeof piece === 'string') return encoder.encode(piece);
  // Not a Buffer, whose methods differ from those of the arrays that `fetch` gives.
  return new Uint8Array(piece.buffer as ArrayBuffer, piece.byteOffset, piece.byteLength);
}
