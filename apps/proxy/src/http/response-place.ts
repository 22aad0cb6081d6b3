/**
 * The place for the one response to a request, written piece by piece.
 *
 * Contract: the head is written once and first. Writing to a client that has left does nothing.
 */
export interface ResponsePlace {
  /** Whether the head was written. */
  readonly hasStarted: boolean;
  /** The status of the head that was written. */
  readonly status: number;
  /** Whether the end was written. */
  readonly isEnded: boolean;
  /** Whether the client has not taken yet what was written, so that the writer should wait for `onRoom`. */
  readonly isFull: boolean;
  writeHead(status: number, headers: string[]): void;
  /** Sends the head ahead of the body's first bytes. */
  flushHead(): void;
  /** Writes a piece of the body; false when the writer should wait for `onRoom`. */
  write(piece: Uint8Array | string): boolean;
  /** Calls back once when there is room again. */
  onRoom(callBack: () => void): void;
  /** Writes the last piece. Calls back once when all is handed over, or the client has left. */
  end(piece?: Uint8Array | string, onOver?: () => void): void;
  /** Calls back when the response is closed: all is handed over, or the client has left before. */
  onClose(callBack: (isWhole: boolean) => void): void;
}
