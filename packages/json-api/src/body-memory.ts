import { overloaded } from './admission.ts';

/**
 * Counts the bytes of bodies that are held, and refuses requests for which there is no room.
 *
 * Requests alone are no measure: one body may be a thousand times as large as another, and a body whose tools are known takes next to
 * nothing.
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
        if (this.#held + bytes - own > this.#limitBytes) throw overloaded('Too many bytes are held.');
        change(bytes);
      },
      release: () => change(0),
    };
  }
}

/** What one request holds. */
export interface BodyHold {
  /** Says how many bytes the request holds from now on. Throws `overloaded` when there is no room. */
  resize(bytes: number): void;
  /** Gives everything back; may be called again. */
  release(): void;
}
