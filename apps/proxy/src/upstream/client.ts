import type { Readable } from 'node:stream';
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
  /** The same bytes as a stream of Node, if there is one: another around it would cost as much as forwarding. */
  readonly stream?: Readable;
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

/** Receives one call when a client leaves. */
export interface LeaveListener {
  onLeave(reason: Error): void;
}

/**
 * Signals that a client has left before its response was complete.
 *
 * Works like an `AbortSignal` without its cost: an `AbortController`, an event target and their listeners
 * cost more per exchange than its record, and few clients leave. `toAbortSignal` creates a real one on
 * demand.
 */
export class ClientSignal {
  #reason: Error | undefined;
  #listeners: LeaveListener[] = [];
  #controller: AbortController | undefined;

  /** Whether the client has left. */
  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** The reason, once the client has left. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Throws the reason once the client has left. */
  throwIfAborted(): void {
    if (this.#reason) throw this.#reason;
  }

  /**
   * Signals that the client has left; only the first call counts. Listeners run at once, in the order in
   * which they were added.
   */
  abort(): void {
    if (this.#reason) return;
    const reason = new Error('the client disconnected before its response was complete');
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener.onLeave(reason);
    this.#controller?.abort(reason);
  }

  /** Adds a listener; runs it at once if the client has already left. */
  add(listener: LeaveListener): void {
    if (this.#reason) listener.onLeave(this.#reason);
    else this.#listeners.push(listener);
  }

  /** Removes a listener; does nothing if it is not registered. */
  remove(listener: LeaveListener): void {
    const at = this.#listeners.lastIndexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  /** Returns an equivalent standard signal, the same one on each call. */
  toAbortSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }
}

/**
 * The place for the response to one request, written piece by piece.
 *
 * Contract: the head is written first, once. Writing to a client that has left does nothing.
 */
export interface ResponsePlace {
  /** Whether the head was written. */
  readonly hasStarted: boolean;
  /** The status of the head that was written. */
  readonly status: number;
  /** Whether the end was written. */
  readonly isEnded: boolean;
  /** Whether the client lags behind, so that the writer should wait for `onRoom`. */
  readonly isFull: boolean;
  writeHead(status: number, headers: string[]): void;
  /** Sends the head before the first bytes of the body. */
  flushHead(): void;
  /** Writes a piece of the body; returns false if the writer should wait for `onRoom`. */
  write(piece: Uint8Array | string): boolean;
  /** Calls back once when the client is ready for more. */
  onRoom(callBack: () => void): void;
  /** Writes the last piece. Calls back once, when everything is handed over or the client has left. */
  end(piece?: Uint8Array | string, onOver?: () => void): void;
  /** Calls back when the response is closed: complete, or because the client left early. */
  onClose(callBack: (isWhole: boolean) => void): void;
}
