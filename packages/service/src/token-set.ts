import { createHash, timingSafeEqual } from 'node:crypto';

/** The tokens that a service accepts, compared in constant time. Holds their digests, not the tokens. */
export class TokenSet {
  readonly #digests: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
  }

  /** Whether there is none, so that none is asked for. */
  get isEmpty(): boolean {
    return this.#digests.length === 0;
  }

  /**
   * The digest (SHA-256, hexadecimal) of a token that is accepted, else undefined.
   *
   * Compares with every token, digests of equal length, so that the time taken tells nothing about any of them.
   */
  find(token: string): string | undefined {
    const given = digest(token);
    let isKnown = false;
    for (const known of this.#digests) isKnown = timingSafeEqual(known, given) || isKnown;
    return isKnown ? given.toString('hex') : undefined;
  }
}

/**
 * The token of an `Authorization: Bearer` header. The scheme's name is written in any case:
 * https://www.rfc-editor.org/rfc/rfc9110#section-11.1
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
