import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { commonError } from './api/api-error.ts';
import type { Party } from './bounds/shares.ts';

/** The tokens that a service accepts, compared in constant time. Holds their digests, not the tokens. */
export class TokenSet {
  #digests: readonly Buffer[];
  readonly #parties = new Map<string, Party>();

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
    for (const one of this.#digests) this.#parties.set(one.toString('hex'), { tenant: '' });
  }

  /** The holders of the tokens, who share what may wait. */
  get parties(): readonly Party[] {
    return [...this.#parties.values()];
  }

  /** Returns the holder of a token by its digest; undefined for an unknown one. */
  partyOf(tokenDigest: string): Party | undefined {
    return this.#parties.get(tokenDigest);
  }

  /** Whether there are no tokens, so that none is required. */
  get isEmpty(): boolean {
    return this.#digests.length === 0;
  }

  /** Returns a set of these tokens and those of another set. */
  with(other: TokenSet): TokenSet {
    const both = new TokenSet([]);
    const added = other.#digests.filter((one) => !this.#digests.some((known) => known.equals(one)));
    both.#digests = [...this.#digests, ...added];
    return both;
  }

  /** Whether this is the digest of an accepted token, such as `authorize` returns. */
  has(tokenDigest: string): boolean {
    return this.#digests.some((known) => known.toString('hex') === tokenDigest);
  }

  /**
   * Returns the digest (SHA-256, hexadecimal) of an accepted token, otherwise undefined.
   *
   * It compares digests of equal length with every token, so that the time taken reveals nothing about any of
   * them.
   */
  find(token: string): string | undefined {
    const given = digest(token);
    let isKnown = false;
    for (const known of this.#digests) isKnown = timingSafeEqual(known, given) || isKnown;
    return isKnown ? given.toString('hex') : undefined;
  }

  /** Returns the digest of a request's bearer token. Throws `unauthorized` if it has none of these tokens. */
  authorize({ headers }: Pick<IncomingMessage, 'headers'>): string {
    const token = bearerToken(headers.authorization);
    const accepted = token === undefined ? undefined : this.find(token);
    if (accepted !== undefined) return accepted;
    throw commonError('unauthorized', 'A valid bearer token is needed.', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
}

/**
 * Returns the token of an `Authorization: Bearer` header. The scheme's name is case-insensitive:
 * https://www.rfc-editor.org/rfc/rfc9110#section-11.1
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
