import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { SelectorError } from './selector-error.ts';

/** Who sent a request: what separates one caller's catalogue ids from another's. */
export interface Caller {
  /** A hexadecimal digest of the token or the client certificate; empty when callers are not told apart. */
  readonly scope: string;
}

/** Tells callers by their bearer token, or where there are no tokens by their client certificate. */
export class Callers {
  readonly #digests: readonly Buffer[];
  readonly #certificateScopes = new WeakMap<TLSSocket, string>();

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
  }

  /** Throws `unauthorized` when tokens are configured and the request has none of them. */
  identify(incoming: IncomingMessage): Caller {
    if (this.#digests.length === 0) return { scope: this.#certificateScope(incoming) };
    const token = bearerToken(incoming.headers.authorization);
    const given = token === undefined ? undefined : digest(token);
    if (!given || !this.#isKnown(given)) throw unauthorized();
    return { scope: given.toString('hex') };
  }

  /** Compares with every token, digests of equal length, so that the time taken tells nothing about any of them. */
  #isKnown(given: Buffer): boolean {
    let isKnown = false;
    for (const known of this.#digests) isKnown = timingSafeEqual(known, given) || isKnown;
    return isKnown;
  }

  #certificateScope({ socket }: IncomingMessage): string {
    if (!(socket instanceof TLSSocket)) return '';
    const known = this.#certificateScopes.get(socket);
    if (known !== undefined) return known;
    const { fingerprint256 } = socket.getPeerCertificate();
    const scope = (fingerprint256 ?? '').replaceAll(':', '').toLowerCase();
    this.#certificateScopes.set(socket, scope);
    return scope;
  }
}

/** The scheme's name is written in any case: https://www.rfc-editor.org/rfc/rfc9110#section-11.1 */
function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function unauthorized(): SelectorError {
  return new SelectorError('unauthorized', 'A valid bearer token is needed.', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}
