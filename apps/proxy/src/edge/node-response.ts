import type { ServerResponse } from 'node:http';
import type { ResponsePlace } from '../http/response-place.ts';

/** Node's server response as an exchange's response place. */
export class NodeResponse implements ResponsePlace {
  readonly #outgoing: ServerResponse;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
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
    this.#outgoing.writeHead(status, headers);
  }

  flushHead(): void {
    this.#outgoing.flushHeaders();
  }

  write(piece: Uint8Array | string): boolean {
    return this.#outgoing.write(piece);
  }

  onRoom(callBack: () => void): void {
    this.#outgoing.once('drain', callBack);
  }

  end(piece?: Uint8Array | string, onOver?: () => void): void {
    if (onOver === undefined) {
      this.#outgoing.end(piece);
      return;
    }
    this.#outgoing.once('close', onOver);
    this.#outgoing.end(piece, () => onOver());
  }

  onClose(callBack: (isWhole: boolean) => void): void {
    // `close` fires once, and `once` costs three times as much.
    this.#outgoing.on('close', () => callBack(this.#outgoing.writableFinished));
  }
}
