import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { BodyReader, ClientRequest, RequestBody, StopReading } from '../http/client-request.ts';
import type { HeadersByName, RawHeaders } from '../http/headers.ts';

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

  constructor(incoming: IncomingMessage) {
    this.incoming = incoming;
    this.method = incoming.method ?? 'GET';
    this.url = incoming.url ?? '/';
    this.headers = incoming.headers;
    this.rawHeaders = incoming.rawHeaders;
    const socket: (Socket & { readonly encrypted?: boolean }) | null | undefined = incoming.socket;
    this.remoteAddress = socket?.remoteAddress ?? '';
    this.isSecure = socket?.encrypted === true;
  }

  get isWhole(): boolean {
    return this.incoming.complete;
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
