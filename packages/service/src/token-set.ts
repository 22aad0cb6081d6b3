import { createHash, timingSafeEqual } from 'node:crypto';

/** The tokens that a service accepts, compared in constant time. Holds their digests, not the tokens. */
export class TokenSet {
  #digests: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
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
