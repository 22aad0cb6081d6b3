import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { bearerToken, TokenSet } from '@winnow/service';
import { SelectorError } from './selector-error.ts';

/** The sender of a request; separates one caller's catalogue ids from another's. */
export interface Caller {
  /** A hexadecimal digest of the token or the client certificate; empty if callers are not distinguished. */
  readonly scope: string;
  /** Whether the caller may search the registry, if one is followed. */
  readonly maySearchRegistry: boolean;
}

/** Identifies callers by their bearer token, or without tokens by their client certificate. */
export class Callers {
  readonly #tokens: TokenSet;
  readonly #registryTokens: TokenSet;
  readonly #certificateScopes = new WeakMap<TLSSocket, string>();

  /** @param registryTokens tokens that may search the registry; without any tokens, every caller may. */
  constructor(tokens: readonly string[], registryTokens: readonly string[]) {
    this.#tokens = new TokenSet(tokens);
    this.#registryTokens = new TokenSet(registryTokens);
  }

  /** Throws `unauthorized` if tokens are configured and the request carries none of them. */
  identify(incoming: IncomingMessage): Caller {
    if (this.#tokens.isEmpty) return { scope: this.#certificateScope(incoming), maySearchRegistry: true };
    const token = bearerToken(incoming.headers.authorization);
    const scope = token === undefined ? undefined : this.#tokens.find(token);
    if (token === undefined || scope === undefined) throw unauthorized();
    return { scope, maySearchRegistry: this.#registryTokens.find(token) !== undefined };
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

function unauthorized(): SelectorError {
  return new SelectorError('unauthorized', 'A valid bearer token is needed.', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}
