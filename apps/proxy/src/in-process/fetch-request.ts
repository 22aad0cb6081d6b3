import type { BodyReader, ClientRequest, RequestBody, StopReading } from '../http/client-request.ts';
import type { HeadersByName, RawHeaders } from '../http/headers.ts';
import type { FetchCall } from './fetch-call.ts';

/** A call of `fetch` as an exchange reads it. Its body has arrived, and every reader gets all of it. */
export class FetchRequest implements ClientRequest, RequestBody {
  readonly method: string;
  readonly url: string;
  readonly headers: HeadersByName;
  readonly rawHeaders: RawHeaders;
  /** This process itself is the client. */
  readonly remoteAddress = '';
  readonly isWhole = true;
  readonly #bytes: Buffer;
  #see: (piece: Uint8Array) => void = () => {};

  /** `added` are further headers: names in lower case and values in turn. */
  constructor({ method, url, rawHeaders, body }: FetchCall, added: readonly string[]) {
    this.method = method;
    this.url = url.pathname + url.search;
    const length = body.length === 0 ? [] : ['content-length', String(body.length)];
    this.rawHeaders = [...rawHeaders, ...added, ...length];
    this.headers = byName(this.rawHeaders);
    this.#bytes = body;
  }

  get body(): RequestBody {
    return this;
  }

  /** Calls the reader in a later turn: the caller needs the returned function first. */
  readBy(reader: BodyReader): StopReading {
    let isStopped = false;
    queueMicrotask(() => {
      if (!isStopped) reader.onPiece(this.take());
      if (!isStopped) reader.onEnd();
    });
    return () => {
      isStopped = true;
    };
  }

  tap(see: (piece: Uint8Array) => void): void {
    this.#see = see;
  }

  /** Returns the whole body. */
  take(): Buffer {
    this.#see(this.#bytes);
    return this.#bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    yield this.take();
  }
}

function byName(headers: RawHeaders): HeadersByName {
  const named: Record<string, string> = Object.create(null);
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!];
    named[name] = named[name] === undefined ? value : `${named[name]}, ${value}`;
  }
  return named;
}
