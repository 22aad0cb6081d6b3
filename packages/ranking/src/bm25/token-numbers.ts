import { HashSlots, MAX_PROBES } from './hash-slots.ts';

/**
 * Numbers of tokens, from 0, in order of arrival. Adding to a `Map` of many strings takes several times as
 * long, because it touches more places in memory.
 */
export class TokenNumbers {
  /** By number. */
  readonly tokens: string[] = [];
  readonly #slots = new HashSlots();
  /** Tokens without a free slot nearby: none in practice. */
  readonly #crowded = new Map<string, number>();

  /** Returns the number of a token, new or known. */
  of(token: string): number {
    const hash = hashOf(token);
    let slot = this.#slots.first(hash);
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const number = this.#slots.numberAt(slot);
      if (number < 0) return this.#add(token, hash);
      if (this.#slots.hashAt(slot) === hash && this.tokens[number] === token) return number;
      slot = this.#slots.next(slot);
    }
    const known = this.#crowded.get(token);
    if (known !== undefined) return known;
    this.#crowded.set(token, this.tokens.length);
    return this.tokens.push(token) - 1;
  }

  #add(token: string, hash: number): number {
    this.#slots.add(hash, this.tokens.length);
    return this.tokens.push(token) - 1;
  }
}

function hashOf(token: string): number {
  let hash = 0;
  for (let at = 0; at < token.length; at++) hash = (Math.imul(hash, 31) + token.charCodeAt(at)) | 0;
  return hash;
}
