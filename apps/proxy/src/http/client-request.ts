import type { HeadersByName, RawHeaders } from './headers.ts';

/** A client's request as an exchange reads it, from a server or from a call in this process. */
export interface ClientRequest {
  readonly method: string;
  /** Path and query as the request line has them. */
  readonly url: string;
  /** With `content-length` or `transfer-encoding` where there is a body. */
  readonly headers: HeadersByName;
  readonly rawHeaders: RawHeaders;
  /** The address of the connection; tells clients without credentials apart. Empty where there is none. */
  readonly remoteAddress: string;
  readonly body: RequestBody;
}

/**
 * The bytes of a request's body, in pieces.
 *
 * Contract: has one reader at a time, which calls `readBy` or iterates, and nothing flows before. Iterating slowly slows the
 * sender down. A reader that has stopped hears nothing more.
 */
export interface RequestBody extends AsyncIterable<Uint8Array> {
  /** Whether all of it has come. */
  readonly isWhole: boolean;
  /** Lets the body flow to a reader. */
  readBy(reader: BodyReader): void;
  /** Stops the flow to the reader. The next reader gets `putBack` first, then the rest. */
  stop(putBack: readonly Buffer[]): void;
  /** Shows each piece when it flows, in the same tick, and does not make it flow. `see` must not throw. */
  tap(see: (piece: Uint8Array) => void): void;
}

/** Takes the pieces of a body. */
export interface BodyReader {
  onPiece(piece: Buffer): void;
  onEnd(): void;
  /** The client has left, or its bytes were no body. */
  onError(error: Error): void;
}
