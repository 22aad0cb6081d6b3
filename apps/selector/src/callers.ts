import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { hostNameOf, isLoopback, type Party, TokenSet } from '@winnow/service';
import { SelectorError } from './selector-error.ts';

/** The sender of a request; separates one caller's catalogue ids from another's. */
export interface Caller {
  /** A hexadecimal digest of the token or the client certificate; empty if callers are not distinguished. */
  readonly scope: string;
  /** The holder of the token, who has a share of the requests that may wait. */
  readonly party: Party | undefined;
  /** Whether the caller may search the registry, if one is followed. */
  readonly maySearchRegistry: boolean;
}

export interface CallerRules {
  /** The tokens; if empty, no token is required. */
  readonly tokens: readonly string[];
  /** Tokens that may search the registry; without any tokens, every caller may. */
  readonly registryCallers: readonly string[];
  /** Whether callers without a token must name a host of this machine. */
  readonly isLocalOnly: boolean;
}

/** Identifies callers by their bearer token, or without tokens by their client certificate. */
export class Callers {
  #tokens = new TokenSet([]);
  #registryTokens = new TokenSet([]);
  #isLocalOnly = true;
  readonly #certificateScopes = new WeakMap<TLSSocket, string>();

  constructor(rules: CallerRules) {
    this.use(rules);
  }

  /** Uses other rules from the next request on. */
  use({ tokens, registryCallers, isLocalOnly }: CallerRules): void {
    this.#tokens = new TokenSet(tokens);
    this.#registryTokens = new TokenSet(registryCallers);
    this.#isLocalOnly = isLocalOnly;
  }

  /** The holders of tokens. */
  get parties(): readonly Party[] {
    return this.#tokens.parties;
  }

  /**
   * Throws `unauthorized` if tokens are configured and the request carries none of them, and `forbidden` if
   * only this machine may call and the request names another host.
   */
  identify(incoming: IncomingMessage): Caller {
    if (this.#tokens.isEmpty) {
      if (this.#isLocalOnly && !isLoopback(hostNameOf(incoming.headers.host ?? ''))) throw foreignHost();
      return { scope: this.#certificateScope(incoming), party: undefined, maySearchRegistry: true };
    }
    const scope = this.#tokens.authorize(incoming);
    const party = this.#tokens.partyOf(scope);
    return { scope, party, maySearchRegistry: this.#registryTokens.has(scope) };
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

function foreignHost(): SelectorError {
  const message = 'Without server.tokens, this selector answers only under names of its own machine.';
  return new SelectorError('forbidden', message);
}
