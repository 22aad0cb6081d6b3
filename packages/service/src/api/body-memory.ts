import { overloaded } from './admission.ts';

/** The share of all memory that is reserved for small requests. */
const SMALL_SHARE = 1 / 8;

/** The most bytes that a small request holds. */
const SMALL_BYTES = 2 ** 20;

/**
 * Counts the bytes of held bodies, and refuses requests without room.
 *
 * The number of requests is not enough: one body may be a thousand times as large as another, and a body with
 * known tools takes almost no memory. Large requests leave a share of the room to small ones, unless they are
 * alone.
 */
export class BodyMemory {
  readonly #limitBytes: number;
  #held = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The bytes of all requests together. */
  get held(): number {
    return this.#held;
  }

  /** Opens the account of one request, which is empty at first. */
  open(): BodyHold {
    let own = 0;
    const change = (bytes: number) => {
      this.#held += bytes - own;
      own = bytes;
    };
    return {
      resize: (bytes) => {
        if (!this.#fits(bytes, this.#held - own)) throw overloaded('Too many bytes are held.');
        change(bytes);
      },
      release: () => change(0),
    };
  }

  #fits(bytes: number, others: number): boolean {
    const left = this.#limitBytes - others - bytes;
    return left >= (others === 0 || bytes <= SMALL_BYTES ? 0 : this.#limitBytes * SMALL_SHARE);
  }
}

/** The memory of one request. */
export interface BodyHold {
  /** Sets the number of bytes that the request holds. Throws `overloaded` when there is no room. */
  resize(bytes: number): void;
  /** Releases all bytes; may be called again. */
  release(): void;
}
