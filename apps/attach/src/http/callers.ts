import type { IncomingMessage } from 'node:http';
import { hostNameOf, isLoopback, type Party, TokenSet } from '@winnow/service';
import { AttachError } from '../attach-error.ts';

/** Tells callers by their bearer tokens. Without tokens everybody on this machine may change every agent. */
export class Callers {
  #tokens: TokenSet;

  constructor(tokens: readonly string[]) {
    this.#tokens = new TokenSet(tokens);
  }

  /** Accepts other tokens from the next request on. */
  use(tokens: readonly string[]): void {
    this.#tokens = new TokenSet(tokens);
  }

  /** The holders of tokens, who share the requests that may wait. */
  get parties(): readonly Party[] {
    return this.#tokens.parties;
  }

  /** Returns the holder of a token, by the text that {@link identify} gives. */
  partyOf(scope: string): Party | undefined {
    return this.#tokens.partyOf(scope);
  }

  /**
   * Returns a text that differs for each token. Throws `unauthorized` when tokens are configured and the
   * request has none of them.
   */
  identify(incoming: IncomingMessage): string {
    if (this.#tokens.isEmpty) {
      // A page in a browser may reach loopback under the page's own host name:
      // https://en.wikipedia.org/wiki/DNS_rebinding
      if (isLoopback(hostNameOf(incoming.headers.host ?? ''))) return '';
      throw new AttachError('unauthorized', 'Without tokens, the service answers to localhost only.');
    }
    return this.#tokens.authorize(incoming);
  }
}
