import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { type Sight, sightOf } from '@winnow/registry';
import { hostNameOf, isLoopback, TokenSet } from '@winnow/service';
import { RIGHTS, type Right, type TokenSetting } from '../read-tokens.ts';
import { RegistryError } from '../registry-error.ts';

/** The sender of a request. */
export interface Caller {
  /** Its name in logs. */
  readonly name: string;
  readonly tenant: string;
  readonly rights: readonly Right[];
  /** Undefined when everything is in sight. */
  readonly sight: Sight | undefined;
}

/** The tenant of a service without tokens. */
export const DEFAULT_TENANT = 'default';

const EVERYBODY: Caller = { name: 'local', tenant: DEFAULT_TENANT, rights: RIGHTS, sight: undefined };

/** Identifies callers by their bearer tokens. Without tokens, every caller on this machine may do everything. */
export class Callers {
  #tokens = new TokenSet([]);
  #byDigest: ReadonlyMap<string, Caller> = new Map();
  #settings: ReadonlyMap<string, TokenSetting> = new Map();

  constructor(tokens: readonly TokenSetting[]) {
    this.use(tokens);
  }

  /**
   * Accepts other tokens from the next request on. A token with the same name, tenant, rights and namespaces stays the
   * same caller; returns those that are no longer admitted.
   */
  use(tokens: readonly TokenSetting[]): readonly Caller[] {
    const { all } = this;
    const [before, known] = [this.#settings, this.#byDigest];
    this.#tokens = new TokenSet(tokens.map(({ token }) => token));
    this.#settings = new Map(tokens.map((token) => [digestOf(token.token), token]));
    this.#byDigest = new Map(
      [...this.#settings].map(([digest, token]) => {
        const isSame = isDeepStrictEqual(before.get(digest), token);
        return [digest, isSame ? known.get(digest)! : toCaller(token)];
      }),
    );
    return all.filter((caller) => !this.admits(caller));
  }

  /** Whether a caller's token is still accepted. */
  admits(caller: Caller): boolean {
    return this.all.includes(caller);
  }

  /** All callers. */
  get all(): readonly Caller[] {
    return this.#tokens.isEmpty ? [EVERYBODY] : [...this.#byDigest.values()];
  }

  /** The callers that share slots: a token with only the right `metrics` takes none. */
  get sharing(): readonly Caller[] {
    return this.all.filter(({ rights }) => rights.some((right) => right !== 'metrics'));
  }

  /** All tenants with a caller. */
  get tenants(): readonly string[] {
    return [...new Set(this.all.map(({ tenant }) => tenant))];
  }

  /** Throws `unauthorized` when tokens are configured and the request has none of them, and `forbidden` when it lacks the right. */
  identify(incoming: IncomingMessage, right: Right): Caller {
    const caller = this.#tokens.isEmpty
      ? localCaller(incoming)
      : this.#byDigest.get(this.#tokens.authorize(incoming))!;
    if (!caller.rights.includes(right)) {
      throw new RegistryError('forbidden', `This token does not have the right "${right}".`);
    }
    return caller;
  }
}

/**
 * A page in a browser may reach loopback under the page's own host name:
 * https://en.wikipedia.org/wiki/DNS_rebinding
 */
function localCaller({ headers }: IncomingMessage): Caller {
  if (isLoopback(hostNameOf(headers.host ?? ''))) return EVERYBODY;
  throw new RegistryError('forbidden', 'Without tokens, the registry answers to localhost only.');
}

function toCaller({ name, tenant, rights, namespaces }: TokenSetting): Caller {
  return { name, tenant, rights, sight: namespaces && sightOf(namespaces) };
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
