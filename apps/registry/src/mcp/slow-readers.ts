import type { Writable } from 'node:stream';

/** The part of a response that waits for its client. */
export type WaitingResponse = Pick<Writable, 'writableLength' | 'destroyed' | 'destroy' | 'once' | 'off'>;

/** Events that end a wait. A completely written response does not drain: it finishes, or its client leaves. */
const ENDS = ['drain', 'finish', 'close'] as const;

/**
 * Responses that wait for clients that read slowly, or not at all: together they hold so many bytes at most. Where they would hold more, those
 * that have waited longest are cut off; the one that was written to last never is, so that one result may be larger than that by itself.
 */
export class SlowReaders {
  readonly #mostBytes: number;
  readonly #onLost: (waitingBytes: number) => void;
  /** In the order in which they began to wait. */
  readonly #waiting = new Set<WaitingResponse>();

  /** `onLost` receives each reader that is cut off, with the bytes that waited for it. */
  constructor(mostBytes: number, onLost: (waitingBytes: number) => void = () => {}) {
    this.#mostBytes = mostBytes;
    this.#onLost = onLost;
  }

  /** Responses that wait. */
  get count(): number {
    return this.#waiting.size;
  }

  /** Bytes that wait. */
  get bytes(): number {
    let bytes = 0;
    for (const { writableLength } of this.#waiting) bytes += writableLength;
    return bytes;
  }

  /** Takes note of a response whose client has not taken all that was written to it. */
  note(response: WaitingResponse): void {
    if (!this.#waiting.has(response)) this.#add(response);
    let { bytes } = this;
    for (const one of this.#waiting) {
      if (bytes <= this.#mostBytes) return;
      if (one === response) continue;
      bytes -= one.writableLength;
      this.cutOff(one);
    }
  }

  /** Gives up a response whose client does not read it; nothing happens where it is over already. */
  cutOff(response: WaitingResponse): void {
    if (response.destroyed) return;
    this.#waiting.delete(response);
    this.#onLost(response.writableLength);
    response.destroy();
  }

  #add(response: WaitingResponse): void {
    this.#waiting.add(response);
    const forget = () => {
      this.#waiting.delete(response);
      for (const end of ENDS) response.off(end, forget);
    };
    for (const end of ENDS) response.once(end, forget);
  }
}
