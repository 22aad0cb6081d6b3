import { isIP } from 'node:net';
import { bearerToken, TokenSet } from '@winnow/service';
import { CREDENTIAL_HEADERS } from '@winnow/wire';
import { isLoopback } from '../http/is-loopback.ts';
import { ProxyError } from '../http/proxy-error.ts';

/** Headers of a request, by small name, as Node gives them. */
export type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Who may use the proxy. */
export interface AccessRules {
  /** The clients' own tokens; without any, none is asked for. */
  readonly tokens: readonly string[];
  /** Host names, in addition to loopback's, by which the proxy may be called where that reaches what is the operator's. */
  readonly allowedHosts: readonly string[];
  /** Origins of pages that may call it there, such as `https://chat.example`. */
  readonly allowedOrigins: readonly string[];
}

/** A request as far as it says who sends it. */
export interface AccessRequest {
  readonly headers: ClientHeaders;
  /** Credentials of its query: names and values, one after the other. */
  readonly parameters: readonly string[];
  readonly guard: Guard;
}

/**
 * The operator's property that a request would reach: a key that it is sent with, or a server on the operator's machine, which trusts
 * every client that reaches it.
 */
export type Guard = 'none' | 'key' | 'neighbour';

/** The header for a client's token, where it is not sent in a header of its provider's. */
const TOKEN_HEADER = 'x-winnow-token';

/**
 * Lets clients in: by a token where there are any, and otherwise, where they would reach what is the operator's, only under names and from
 * pages that cannot belong to another site.
 *
 * A page of another site can make a browser send requests to a proxy on the same machine or network, under an address (cross-site
 * request) or under a name of its own that it lets point there (DNS rebinding). It cannot choose `Host` and `Origin`, nor know a token.
 */
export class ClientAccess {
  readonly #tokens: TokenSet;
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ tokens, allowedHosts, allowedOrigins }: AccessRules) {
    this.#tokens = new TokenSet(tokens);
    this.#hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  }

  /** Why a request is not let in; undefined when it is. */
  refusal({ headers, parameters, guard }: AccessRequest): ProxyError | undefined {
    if (!this.#tokens.isEmpty)
      return this.#hasToken(headers) || parameters.some((value, at) => at % 2 === 1 && this.isOwnToken(value))
        ? undefined
        : new ProxyError('unauthorized', NO_TOKEN);
    if (guard === 'none') return undefined;
    if (!this.#isOwnHost(headers.host)) return new ProxyError('host_not_allowed', FOREIGN_HOST);
    return this.#isOwnPage(headers, guard) ? undefined : new ProxyError('origin_not_allowed', FOREIGN_PAGE);
  }

  /** Whether a token is asked for. */
  get hasTokens(): boolean {
    return !this.#tokens.isEmpty;
  }

  /** Whether the value of a credential's header is a token of the proxy's own, which no upstream may see. */
  isOwnToken(value: string): boolean {
    return !this.#tokens.isEmpty && this.#tokens.find(bearerToken(value) ?? value) !== undefined;
  }

  #hasToken(headers: ClientHeaders): boolean {
    return [TOKEN_HEADER, ...CREDENTIAL_HEADERS].some((name) => {
      const value = headers[name];
      return typeof value === 'string' && this.isOwnToken(value);
    });
  }

  #isOwnHost(host: unknown): boolean {
    // HTTP/1.0 knows no host, and no browser speaks it.
    if (typeof host !== 'string' || host === '') return true;
    const name = hostName(host);
    return isIP(name) !== 0 || isLoopback(name) || this.#hosts.has(name);
  }

  /** Browsers name the page's origin with every request but plain GETs, and say of those whether they cross sites. */
  #isOwnPage({ origin, 'sec-fetch-site': site }: ClientHeaders, guard: Guard): boolean {
    if (typeof origin === 'string') {
      const isNeighbour = guard === 'neighbour' && isLoopback(URL.parse(origin)?.hostname ?? '');
      return isNeighbour || this.#origins.has(origin.toLowerCase());
    }
    return site !== 'cross-site' && site !== 'same-site';
  }
}

const NO_TOKEN =
  'A token of this proxy is needed, sent as your API key or in the header x-winnow-token. The operator sets them in server.tokens.';
const FOREIGN_HOST =
  'This proxy holds a key, or has a server of its own machine behind it, and may not be called by this host name. The operator can name it in server.allowed_hosts, or set server.tokens.';
const FOREIGN_PAGE =
  'This proxy holds a key, or has a server of its own machine behind it, and may not be called from this page. The operator can name its origin in server.allowed_origins, or set server.tokens.';

/** The name in a `Host` header, small, without its port and without the brackets of an IPv6 address. */
function hostName(host: string): string {
  const name = /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  return name.toLowerCase().replace(/\.$/, '');
}
