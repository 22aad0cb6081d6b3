import { handleRequest, type RequestContext } from '../src/exchange/handle-request.ts';
import { HeadWriter } from '../src/exchange/head-writer.ts';
import type { BodyReader, ClientRequest, RequestBody, StopReading } from '../src/http/client-request.ts';
import { ClientSignal } from '../src/http/client-signal.ts';
import type { ResponsePlace } from '../src/http/response-place.ts';
import { chooseUpstream, type Upstream } from '../src/upstream/choose-upstream.ts';

/**
 * Runs one exchange on a request and a response of the Fetch API: no server, no socket. `handled` settles
 * when it is over.
 */
export function fetchThrough(
  incoming: Request,
  context: RequestContext,
  upstreams: ReadonlyMap<string, Upstream>,
): { readonly response: Promise<Response>; readonly handled: Promise<void> } {
  const request = new FetchRequest(incoming);
  const response = new FetchResponse();
  const signal = new ClientSignal();
  response.onClose((isWhole) => {
    if (!isWhole) signal.abort();
  });
  const head = new HeadWriter({
    response,
    requestId: 'exchange-1',
    isTelling: false,
    onStream: () => {},
    onDefect: context.onDefect,
  });
  const target = chooseUpstream(request, upstreams)!;
  const handled = handleRequest({ request, response, head, target, signal }, context);
  return { response: Promise.race([response.begun, handled.then(() => response.begun)]), handled };
}

/** A request of the Fetch API. */
class FetchRequest implements ClientRequest, RequestBody {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly remoteAddress = '';
  isWhole = false;
  readonly #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #putBack: Buffer[] = [];
  #reader: BodyReader | undefined;
  readonly #taps: ((piece: Uint8Array) => void)[] = [];

  constructor({ method, url, headers, body }: Request) {
    const { pathname, search } = new URL(url);
    this.method = method;
    this.url = pathname + search;
    const framed = body === null ? [...headers] : [...headers, ['transfer-encoding', 'chunked']];
    this.headers = Object.fromEntries(framed);
    this.rawHeaders = framed.flat();
    this.#source = body?.getReader();
  }

  get body(): RequestBody {
    return this;
  }

  readBy(reader: BodyReader): StopReading {
    this.#reader = reader;
    void this.#read(reader).catch((error) => reader.onError(error));
    return (putBack) => {
      this.#reader = undefined;
      this.#putBack = [...putBack];
    };
  }

  tap(see: (piece: Uint8Array) => void): void {
    this.#taps.push(see);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) yield piece;
  }

  async #read(reader: BodyReader): Promise<void> {
    for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) {
      reader.onPiece(piece);
      if (this.#reader !== reader) return;
    }
    reader.onEnd();
  }

  async #next(): Promise<Buffer | undefined> {
    const piece = this.#putBack.shift() ?? (await this.#source?.read())?.value;
    this.isWhole = piece === undefined;
    if (piece === undefined) return undefined;
    for (const see of this.#taps) see(piece);
    return Buffer.from(piece);
  }
}

/** A response place backed by a response of the Fetch API. */
class FetchResponse implements ResponsePlace {
  /** Resolves when the head was written. */
  readonly begun: Promise<Response>;
  hasStarted = false;
  status = 200;
  isEnded = false;
  readonly #begin: (response: Response) => void;
  readonly #stream: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #onRoom: (() => void) | undefined;
  readonly #onClose: ((isWhole: boolean) => void)[] = [];

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.begun = promise;
    this.#begin = resolve;
    this.#stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#tellRoom(),
        cancel: () => this.#close(false),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 16 * 1024 }),
    );
  }

  get isFull(): boolean {
    return this.#controller.desiredSize! <= 0;
  }

  writeHead(status: number, headers: string[]): void {
    this.hasStarted = true;
    this.status = status;
    const own = new Headers();
    for (let at = 0; at < headers.length; at += 2) own.append(headers[at]!, headers[at + 1]!);
    this.#begin(new Response(this.#stream, { status, headers: own }));
  }

  flushHead(): void {}

  write(piece: Uint8Array | string): boolean {
    this.#controller.enqueue(Buffer.from(piece as string));
    return !this.isFull;
  }

  onRoom(callBack: () => void): void {
    this.#onRoom = callBack;
  }

  end(piece?: Uint8Array | string, onOver: () => void = () => {}): void {
    if (piece !== undefined && piece.length > 0) this.write(piece);
    this.isEnded = true;
    this.#controller.close();
    this.#close(true);
    onOver();
  }

  onClose(callBack: (isWhole: boolean) => void): void {
    this.#onClose.push(callBack);
  }

  #tellRoom(): void {
    const tell = this.#onRoom;
    this.#onRoom = undefined;
    tell?.();
  }

  #close(isWhole: boolean): void {
    for (const tell of this.#onClose) tell(isWhole);
  }
}
