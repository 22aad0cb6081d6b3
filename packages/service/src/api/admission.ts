import { type Party, Shares } from '../bounds/shares.ts';
import { type ApiError, commonError } from './api-error.ts';

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
