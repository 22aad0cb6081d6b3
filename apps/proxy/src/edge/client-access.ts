import { isIP } from 'node:net';
import { bearerToken, hostNameOf, isLoopback, spendersOf, TokenSet } from '@winnow/service';
import { CREDENTIAL_HEADERS } from '@winnow/wire';
import { clientTokens, type Settings } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';
import { ACCESS_HEADER, type HeadersByName, headerValue, type RawHeaders } from '../upstream/headers.ts';
import { ProxyError } from '../upstream/proxy-error.ts';

/** Request headers by lower-case name, as Node provides them. */
export type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Rules for access to the proxy. */
export interface AccessRules {
  /** The clients' tokens, as `TOKEN` or `NAME:TOKEN`; if empty, no token is required. */
  readonly tokens: readonly string[];
  /** Host names, besides loopback, that clients may use to reach the operator's property. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may reach it, such as `https://chat.example`. */
  readonly allowedOrigins: readonly string[];
}

/** The parts of a request that identify its sender. */
interface AccessRequest {
  readonly headers: ClientHeaders;
  /** Credentials in the query: names and values in turn. */
  readonly parameters: readonly string[];
  readonly guard: Guard;
}

/**
 * The operator's property that a request would reach: a secret that it spends, or a server on the proxy's
 * machine that trusts every client.
 */
export type Guard = 'none' | 'key' | 'neighbour';

/**
 * Admits clients: by token if any are set; otherwise, requests that reach the operator's property must use a
 * host name, and come from a page, that cannot belong to another site.
 *
 * A page of another site can make a browser send requests to a proxy on the same machine or network, under an
 * address (cross-site request) or under its own name that resolves there (DNS rebinding). It cannot choose
 * `Host` or `Origin`, and does not know a token.
 */
export class ClientAccess {
  #tokens = new TokenSet([]);
  /** With the tokens of earlier rules: requests that they admitted may still be under way. */
  #everAccepted = new TokenSet([]);
  /** Names of tokens by their digests. */
  #names: ReadonlyMap<string | undefined, string> = new Map();
  #hosts: ReadonlySet<string> = new Set();
  #origins: ReadonlySet<string> = new Set();

  constructor(rules: AccessRules) {
    this.use(rules);
  }

  /** Replaces the rules, from the next request on. */
  use({ tokens, allowedHosts, allowedOrigins }: AccessRules): void {
    const parsed = clientTokens(tokens);
    const known = new TokenSet(parsed.map(({ token }) => token));
    this.#tokens = known;
    this.#everAccepted = this.#everAccepted.with(known);
    this.#names = new Map(
      parsed.flatMap(({ name, token }) => (name === undefined ? [] : [[known.find(token), name]])),
    );
    this.#hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  }

  /** Returns the reason to refuse a request; undefined if it is admitted. */
  refusal({ headers, parameters, guard }: AccessRequest): ProxyError | undefined {
    if (!this.#tokens.isEmpty)
      return this.#digestOf({ headers, parameters }) === undefined
        ? new ProxyError('unauthorized', NO_TOKEN)
        : undefined;
    return guard === 'none' ? undefined : this.foreignRefusal(headers, guard);
  }

  /** Returns the reason to refuse a request that a page of another site may have sent; undefined for any other. */
  foreignRefusal(headers: ClientHeaders, guard: Guard): ProxyError | undefined {
    if (!this.#isOwnHost(headers.host)) return new ProxyError('host_not_allowed', FOREIGN_HOST);
    return this.#isOwnPage(headers, guard) ? undefined : new ProxyError('origin_not_allowed', FOREIGN_PAGE);
  }

  /** Returns the name of the token that a request shows; undefined without one, or if it has no name. */
  tokenNameOf(request: Pick<AccessRequest, 'headers' | 'parameters'>): string | undefined {
    return this.#names.size === 0 ? undefined : this.#names.get(this.#digestOf(request));
  }

  /**
   * Returns a text that identifies the sender of a request: its token, or else its only credential, if the
   * provider checks that. Undefined otherwise: a client could invent a new one for each request.
   */
  senderOf({ headers, parameters, guard }: AccessRequest): string | undefined {
    if (this.hasTokens) return this.#digestOf({ headers, parameters });
    if (guard !== 'none') return undefined;
    const shown = parameters.filter((_, at) => at % 2 === 1);
    // Runs for each request, so it builds no list per header.
    for (const name of CREDENTIAL_HEADERS) {
      const value = headers[name];
      if (typeof value === 'string') shown.push(value);
      else if (value !== undefined) shown.push(...value);
    }
    const [only] = shown;
    if (only === undefined || shown.length > 1) return undefined;
    // Schemes other than bearer sign each request separately, or can be written in several ways.
    return typeof headers.authorization === 'string' ? bearerToken(only) : only.trim();
  }

  /**
   * Returns the page of another origin that sent a request; undefined if there is none, or if this proxy need
   * not protect the response: the client's own key pays for it.
   */
  pageOf({ headers, guard }: Pick<AccessRequest, 'headers' | 'guard'>): CrossOrigin | undefined {
    const { origin } = headers;
    if (typeof origin !== 'string') return undefined;
    if (this.#isAllowedOrigin(origin, guard)) return { allowed: origin };
    return this.hasTokens || guard !== 'none' ? { allowed: undefined } : undefined;
  }

  /** Whether clients need a token. */
  get hasTokens(): boolean {
    return !this.#tokens.isEmpty;
  }

  /** Whether a credential's value is or was one of the proxy's own tokens, which no upstream may see. */
  isOwnToken(value: string): boolean {
    return digestIn(this.#everAccepted, value) !== undefined;
  }

  /** Returns the digest of the first token in a request's headers and query; undefined if it has none. */
  #digestOf({ headers, parameters }: Pick<AccessRequest, 'headers' | 'parameters'>): string | undefined {
    for (const name of [ACCESS_HEADER, ...CREDENTIAL_HEADERS]) {
      const value = headers[name];
      const digest = typeof value === 'string' ? digestIn(this.#tokens, value) : undefined;
      if (digest !== undefined) return digest;
    }
    for (let at = 1; at < parameters.length; at += 2) {
      const digest = digestIn(this.#tokens, parameters[at]!);
      if (digest !== undefined) return digest;
    }
    return undefined;
  }

  #isOwnHost(host: unknown): boolean {
    // HTTP/1.0 has no `Host` header, and no browser uses HTTP/1.0.
    if (typeof host !== 'string' || host === '') return true;
    const name = hostNameOf(host);
    return isIP(name) !== 0 || isLoopback(name) || this.#hosts.has(name);
  }

  /**
   * Whether a request comes from an allowed page or none. Browsers send the page's origin with every request
   * except plain GETs, and mark GETs as cross-site or not.
   */
  #isOwnPage({ origin, 'sec-fetch-site': site }: ClientHeaders, guard: Guard): boolean {
    if (typeof origin === 'string') return this.#isAllowedOrigin(origin, guard);
    return site !== 'cross-site' && site !== 'same-site';
  }

  #isAllowedOrigin(origin: string, guard: Guard): boolean {
    const isNeighbour = guard === 'neighbour' && isLoopback(URL.parse(origin)?.hostname ?? '');
    return isNeighbour || this.#origins.has(origin.toLowerCase());
  }
}

/** Whether a connection comes from this machine, where browsers show pages of any site. */
export function isFromHere({ remoteAddress = '' }: { readonly remoteAddress?: string | undefined }): boolean {
  // IPv4 addresses may be mapped to IPv6.
  return isLoopback(remoteAddress.replace(/^::ffff:/, ''));
}

/** Returns the digest of a credential's value if it is one of the tokens. */
function digestIn(tokens: TokenSet, value: string): string | undefined {
  return tokens.isEmpty ? undefined : tokens.find(bearerToken(value) ?? value);
}

const NO_TOKEN =
  'This proxy requires one of its tokens, sent as your API key or in the header x-winnow-token. The operator sets the tokens in server.tokens.';
const FOREIGN_HOST =
  "This request would spend the operator's key or reach a server on the proxy's machine, so the proxy does not accept this host name. The operator can add it to server.allowed_hosts, or set server.tokens.";
const FOREIGN_PAGE =
  "This request would spend the operator's key or reach a server on the proxy's machine, so the proxy does not accept it from this page. The operator can add its origin to server.allowed_origins, or set server.tokens.";

/** Returns the operator's property that a request to an upstream would reach. */
export type GuardOf = (upstream: Pick<Upstream, 'auth' | 'isNeighbour'>) => Guard;

/**
 * Returns the guard of each request, by the secrets that it would spend: each secret's setting says which
 * requests spend it.
 */
export function requestGuard(settings: Settings): GuardOf {
  const spenders = spendersOf(SETTINGS, settings);
  return ({ auth, isNeighbour }) => {
    if (auth.kind !== 'forward' || spenders.has('every_request')) return 'key';
    return isNeighbour === true ? 'neighbour' : 'none';
  };
}

/** The page that reads a response from another origin. */
export interface CrossOrigin {
  /** The page's origin, if it may read the response. */
  readonly allowed: string | undefined;
}

/** Time for which a browser may remember a preflight, in seconds. */
const MAX_AGE_SECONDS = '600';

/**
 * Whether a request is a browser's question about a later one.
 *
 * Source: https://fetch.spec.whatwg.org/#cors-preflight-request
 */
export function isPreflight(method: string | undefined, headers: HeadersByName): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Returns the headers that allow what a preflight asks for. */
export function preflightHeaders(headers: RawHeaders): string[] {
  const asked = (name: string) => headerValue(headers, name) ?? '';
  return [
    ...['access-control-allow-methods', asked('access-control-request-method')],
    ...['access-control-allow-headers', asked('access-control-request-headers')],
    ...['access-control-max-age', MAX_AGE_SECONDS],
    ...['vary', 'access-control-request-method, access-control-request-headers'],
  ];
}

/**
 * Returns a response's headers with the page's permission in place of the upstream's, which does not know the
 * page. An allowed page may read every header: request ids, rate limits and times to wait have many names.
 */
export function readableBy({ allowed }: CrossOrigin, headers: readonly string[]): string[] {
  const kept: string[] = [];
  const names = new Set<string>();
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    if (name.startsWith('access-control-')) continue;
    kept.push(headers[at]!, headers[at + 1]!);
    names.add(name);
  }
  if (allowed === undefined) return kept;
  return [
    ...kept,
    ...['access-control-allow-origin', allowed],
    // Lets a page send the cookies of an access proxy in front; this proxy reads none.
    ...['access-control-allow-credentials', 'true'],
    ...['access-control-expose-headers', [...names].join(', ')],
    ...['vary', 'origin'],
  ];
}
