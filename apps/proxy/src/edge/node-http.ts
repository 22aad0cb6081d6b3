import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type {
  BodyReader,
  ClientRequest,
  ClientSignal,
  RequestBody,
  ResponsePlace,
  StopReading,
} from '../upstream/client.ts';
import type { HeadersByName, RawHeaders } from '../upstream/headers.ts';
import { type CrossOrigin, readableBy } from './client-access.ts';

/** A request to Node's HTTP server with its body. */
export class NodeRequest implements ClientRequest, RequestBody {
  readonly incoming: IncomingMessage;
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersByName;
  readonly rawHeaders: RawHeaders;
  readonly body: RequestBody = this;
  /** Read at once: a closed connection has no address. */
  readonly remoteAddress: string;
  /** Read at once, too: a request that was read to its end may have no connection any more. */
  readonly isSecure: boolean;

  /** `signal` aborts when the client leaves before its request is complete. */
  constructor(incoming: IncomingMessage, signal: ClientSignal) {
    this.incoming = incoming;
    this.method = incoming.method ?? 'GET';
    this.url = incoming.url ?? '/';
    this.headers = incoming.headers;
    this.rawHeaders = incoming.rawHeaders;
    const socket: (Socket & { readonly encrypted?: boolean }) | null | undefined = incoming.socket;
    this.remoteAddress = socket?.remoteAddress ?? '';
    this.isSecure = socket?.encrypted === true;
    // Fires before the reader's error. An upload also aborts when the upstream stops reading it; that client is
    // still connected and waits for a response.
    incoming.on('aborted', () => {
      if (socket?.destroyed !== false) signal.abort();
    });
  }

  get isWhole(): boolean {
    return this.incoming.complete;
  }

  get stream(): IncomingMessage {
    return this.incoming;
  }

  /** Keeps no reference to the reader: a request that has ended would keep later ones alive for the collector. */
  readBy(reader: BodyReader): StopReading {
    const { incoming } = this;
    const onPiece = (piece: Buffer) => reader.onPiece(piece);
    const onEnd = () => reader.onEnd();
    incoming
      .on('data', onPiece)
      .on('end', onEnd)
      .on('error', (error) => reader.onError(error))
      .on('aborted', () =>
        reader.onError(new Error('the client disconnected before its request was complete')),
      )
      // `tap` pauses the stream so that no piece is lost before the body is read.
      .resume();
    return (putBack) => {
      incoming.off('data', onPiece).off('end', onEnd).pause();
      // In reverse order, so that the first piece is read first.
      for (const piece of putBack.toReversed()) incoming.unshift(piece);
    };
  }

  /** Pauses the stream first: a listener starts the flow, and later readers would miss the first pieces. */
  tap(see: (piece: Uint8Array) => void): void {
    this.incoming.pause();
    this.incoming.on('data', see);
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return this.incoming[Symbol.asyncIterator]();
  }
}

const BEYOND_ASCII = /[\x80-\xff]/;

/**
 * Largest body that is written as text: together with its head in one call of the system, where a buffer takes two
 * pieces and a longer way. Latin-1 keeps every byte.
 */
const MOST_TEXT_BYTES = 16 * 1024;

/** Node's server response as an exchange's response place. */
export class NodeResponse implements ResponsePlace {
  readonly #outgoing: ServerResponse;
  readonly #page: CrossOrigin | undefined;
  #onClose: ((isWhole: boolean) => void) | undefined;
  #onOver: (() => void) | undefined;
  /** Whether only the head was written, and not sent yet. */
  #isHeld = false;

  /**
   * `signal` aborts when the client leaves before the response is complete. `page` is the page of another origin that
   * reads the response; undefined if the upstream's headers decide.
   */
  constructor(outgoing: ServerResponse, signal: ClientSignal, page?: CrossOrigin) {
    this.#outgoing = outgoing;
    this.#page = page;
    // It fires once, and `once` costs three times as much.
    outgoing.on('close', () => {
      const isWhole = outgoing.writableFinished;
      if (!isWhole) signal.abort();
      this.#onClose?.(isWhole);
      this.#onOver?.();
    });
    // A write to a client that has just left is not an error.
    outgoing.on('error', () => signal.abort());
  }

  get hasStarted(): boolean {
    return this.#outgoing.headersSent;
  }

  get status(): number {
    return this.#outgoing.statusCode;
  }

  get isEnded(): boolean {
    return this.#outgoing.writableEnded;
  }

  get isFull(): boolean {
    return this.#outgoing.writableNeedDrain;
  }

  writeHead(status: number, headers: string[]): void {
    this.#outgoing.writeHead(status, this.#page ? readableBy(this.#page, headers) : headers);
    this.#isHeld = true;
    // Node writes a head together with the text behind it, in UTF-8, which changes each byte beyond ASCII.
    if (headers.some((text) => BEYOND_ASCII.test(text))) this.#release().write('', 'latin1');
  }

  flushHead(): void {
    this.#release().flushHeaders();
  }

  write(piece: Uint8Array | string): boolean {
    return this.#release().write(piece);
  }

  onRoom(callBack: () => void): void {
    this.#outgoing.once('drain', callBack);
  }

  end(piece?: Uint8Array | string, onOver?: () => void): void {
    const isText = this.#isHeld && piece instanceof Buffer && piece.length <= MOST_TEXT_BYTES;
    const outgoing = this.#release();
    this.#onOver = onOver;
    // Both may call: a promise resolves once.
    const onFinish = onOver && (() => onOver());
    if (isText) outgoing.end(piece.toString('latin1'), 'latin1', onFinish);
    else outgoing.end(piece, onFinish);
  }

  onClose(callBack: (isWhole: boolean) => void): void {
    this.#onClose = callBack;
  }

  /** Returns the response, whose head leaves with what is written next. */
  #release(): ServerResponse {
    this.#isHeld = false;
    return this.#outgoing;
  }
}
