import { overloaded } from './admission.ts';

/** What is left of all memory to requests that hold little. */
const SMALL_SHARE = 1 / 8;

/** What they hold at most, in bytes. */
const SMALL_BYTES = 2 ** 20;

/**
 * Counts the bytes of bodies that are held, and refuses requests for which there is no room.
 *
 * Requests alone are no measure: one body may be a thousand times as large as another, and a body whose tools are known takes next to
 * nothing. Requests that hold much leave a part of the room to the others, unless they hold something alone.
 */
export class BodyMemory {
  readonly #limitBytes: number;
  #held = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Of all requests together, in bytes. */
  get held(): number {
    return this.#held;
  }

  /** The part of one request, empty at first. */
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

/** What one request holds. */
export interface BodyHold {
  /** Says how many bytes the request holds from now on. Throws `overloaded` when there is no room. */
  resize(bytes: number): void;
  /** Gives everything back; may be called again. */
  release(): void;
}
