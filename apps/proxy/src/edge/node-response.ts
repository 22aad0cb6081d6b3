import type { ServerResponse } from 'node:http';
import type { ResponsePlace } from '../http/response-place.ts';
import { type CrossOrigin, readableBy } from './cross-origin.ts';

const BEYOND_ASCII = /[\x80-\xff]/;

/** Node's server response as an exchange's response place. */
export class NodeResponse implements ResponsePlace {
  readonly #outgoing: ServerResponse;
  readonly #page: CrossOrigin | undefined;

  /** `page` is the page of another origin that reads the response; undefined if the upstream's headers decide. */
  constructor(outgoing: ServerResponse, page?: CrossOrigin) {
    this.#outgoing = outgoing;
    this.#page = page;
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
    // Node writes a head together with the text behind it, in UTF-8, which changes each byte beyond ASCII.
    if (headers.some((text) => BEYOND_ASCII.test(text))) this.#outgoing.write('', 'latin1');
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
    // Both may call: a promise resolves once, and `once` costs three times as much.
    this.#outgoing.on('close', onOver);
    this.#outgoing.end(piece, () => onOver());
  }

  onClose(callBack: (isWhole: boolean) => void): void {
    // `close` fires once, and `once` costs three times as much.
    this.#outgoing.on('close', () => callBack(this.#outgoing.writableFinished));
  }
}
