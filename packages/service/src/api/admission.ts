import { readAway } from '../bodies/read-away.ts';
import { type Party, Shares } from '../bounds/shares.ts';
import { type ApiError, commonError } from './api-error.ts';
import type { Exchange } from './exchange.ts';

/** The time that a refused client should wait, in seconds. */
const RETRY_AFTER_SECONDS = '1';

/** Returns the error that tells a client to try again later. */
export function overloaded(message: string): ApiError {
  return commonError('overloaded', message, { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
}

/**
 * Counts the requests that are being received or answered, and refuses new ones above the limit.
 *
 * Early refusal keeps the others fast: with an endless queue, no response would be in time.
 */
export class Admission {
  readonly #places: Shares;

  /** @param parties the senders of requests, if they can be distinguished: each has its share of the limit. */
  constructor(limit: number, parties: readonly Party[] = []) {
    this.#places = new Shares(limit, parties);
  }

  /** Shares the limit among other parties. */
  useParties(parties: readonly Party[]): void {
    this.#places.use(parties);
  }

  get waiting(): number {
    return this.#places.taken;
  }

  /** Returns the function to call when the request is over. Throws `overloaded` when there is no room. */
  enter(party: Party = ANYONE): () => void {
    const leave = this.#places.take(party);
    if (leave === undefined) throw overloaded('Too many requests are waiting.');
    return leave;
  }
}

const ANYONE: Party = { tenant: '' };

/** The share of all memory that is reserved for small requests. */
const SMALL_SHARE = 1 / 8;

/** The most bytes that a small request holds. */
const SMALL_BYTES = 2 ** 20;

/**
 * Counts the bytes of held bodies, and refuses requests without room.
 *
 * The number of requests is not enough: one body may be a thousand times as large as another, and a body with
 * known tools takes almost no memory. Large requests leave a share of the room to small ones, and a party's requests
 * leave a share to those of others, unless they are alone.
 */
export class BodyMemory {
  readonly #limitBytes: number;
  readonly #bytes: Shares;

  /** @param parties the senders of requests, if they can be distinguished: each has its share of the memory. */
  constructor(limitBytes: number, parties: readonly Party[] = []) {
    this.#limitBytes = limitBytes;
    this.#bytes = new Shares(limitBytes, parties);
  }

  /** Shares the memory among other parties. */
  useParties(parties: readonly Party[]): void {
    this.#bytes.use(parties);
  }

  /** The bytes of all requests together. */
  get held(): number {
    return this.#bytes.taken;
  }

  /** Opens the account of one request, which is empty at first. */
  open(party: Party = ANYONE): BodyHold {
    let own = 0;
    const change = (bytes: number) => {
      this.#bytes.change(party, bytes - own);
      own = bytes;
    };
    return {
      resize: (bytes) => {
        if (bytes > own && !this.#fits(bytes, own, party)) throw overloaded('Too many bytes are held.');
        change(bytes);
      },
      release: () => change(0),
    };
  }

  #fits(bytes: number, own: number, party: Party): boolean {
    const others = this.held - own;
    const left = this.#limitBytes - others - bytes;
    if (others === 0) return left >= 0;
    const reserved = bytes <= SMALL_BYTES ? 0 : this.#limitBytes * SMALL_SHARE;
    return left >= reserved && this.#bytes.hasRoom(party, bytes - own);
  }
}

/** The memory of one request. */
export interface BodyHold {
  /** Sets the number of bytes that the request holds. Throws `overloaded` when there is no room. */
  resize(bytes: number): void;
  /** Releases all bytes; may be called again. */
  release(): void;
}

/** The limits that decide whether a request is admitted. */
export interface AdmissionContext {
  readonly admission: Admission;
  /** The sender, where senders have shares. */
  readonly party?: Party | undefined;
  readonly bodyMemory: BodyMemory;
  readonly isRefusing: () => boolean;
}

/** An admitted request's place. */
export interface Admitted {
  /** Sets the number of bytes held of its body. Throws `overloaded` when there is no room. */
  readonly hold: BodyHold['resize'];
  /** Admits other requests before this one is answered, while it waits for another service. */
  readonly release: () => void;
}

/**
 * Runs `work` for a request. If there are too many requests or the service is stopping, the request is
 * refused as `overloaded`. The memory of its body is always released.
 */
export async function admitExchange<Result>(
  { incoming }: Pick<Exchange, 'incoming'>,
  { admission, party, bodyMemory, isRefusing }: AdmissionContext,
  work: (admitted: Admitted) => Promise<Result>,
): Promise<Result> {
  if (isRefusing()) {
    await readAway(incoming);
    throw overloaded('The service is shutting down.');
  }
  const release = admission.enter(party);
  const hold = bodyMemory.open(party);
  try {
    return await work({ hold: hold.resize, release });
  } finally {
    hold.release();
    release();
  }
}
