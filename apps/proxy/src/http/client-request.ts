import type { HeadersByName, RawHeaders } from './headers.ts';

/** A client's request as an exchange reads it, from a server or from a call in this process. */
export interface ClientRequest {
  readonly method: string;
  /** Path and query from the request line. */
  readonly url: string;
  /** Includes `content-length` or `transfer-encoding` if there is a body. */
  readonly headers: HeadersByName;
  readonly rawHeaders: RawHeaders;
  /**
   * The peer address of the connection, which distinguishes clients without credentials. Empty if there is
   * none.
   */
  readonly remoteAddress: string;
  /** Whether the client's connection to the proxy uses TLS; absent if not. */
  readonly isSecure?: boolean;
  readonly body: RequestBody;
}

/**
 * The bytes of a request's body, in pieces.
 *
 * Contract: one reader at a time, which calls `readBy` or iterates; the body does not flow before. Slow
 * iteration slows the sender down. A stopped reader receives no further calls.
 */
export interface RequestBody extends AsyncIterable<Uint8Array> {
  /** Whether the whole body has arrived. */
  readonly isWhole: boolean;
  /** Lets the body flow to a reader. */
  readBy(reader: BodyReader): StopReading;
  /**
   * Calls `see` with each piece as it flows, in the same tick, without starting the flow. `see` must not
   * throw.
   */
  tap(see: (piece: Uint8Array) => void): void;
}

/** Stops the flow to a reader. The next reader gets `putBack` first, then the rest. */
export type StopReading = (putBack: readonly Buffer[]) => void;

/** Receives the pieces of a body. */
export interface BodyReader {
  onPiece(piece: Buffer): void;
  onEnd(): void;
  /** Reports that the client left, or that its bytes were not a valid body. */
  onError(error: Error): void;
}
