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
