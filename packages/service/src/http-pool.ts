import { createRequire } from 'node:module';
import type { Agent, Dispatcher } from 'undici';

/** A pool of connections to servers, with undici's `request` and `dispatch`. `destroy` closes them. */
export type HttpPool = Dispatcher;

export type HttpPoolOptions = Agent.Options & {
  /** Options of `tls.connect`, such as `ca`, and the time limit of a connection attempt. */
  readonly connect?: { readonly timeout?: number };
};

/** HTTP proxies on the way to other servers, as the variables of curl name them. */
export interface HttpProxies {
  /** The proxy for `http` addresses; empty for none. */
  readonly httpProxy: string;
  /** The proxy for `https` addresses; empty to use the other one. */
  readonly httpsProxy: string;
  /** Hosts that are reached directly, separated by commas. */
  readonly noProxy: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The longest wait for a proxy's answer to CONNECT, in milliseconds. */
const CONNECT_MS = 10_000;

/** Undici is loaded on first use: it takes a fifth of the start of a command that may not need it. */
const load = createRequire(import.meta.url);

/**
 * Opens a pool whose connections go through the HTTP proxies that the environment names, except to this
 * machine and to the hosts in `NO_PROXY`.
 *
 * @throws Error that names the variable if the address of a proxy is invalid.
 */
export function openHttpPool(options: HttpPoolOptions): HttpPool {
  const undici: typeof import('undici') = load('undici');
  const proxies = httpProxiesOf();
  if (proxies === undefined) return new undici.Agent(options);
  const proxied = new undici.EnvHttpProxyAgent({
    ...options,
    ...proxies,
    // Its connections to servers ignore `connect`.
    requestTls: options.connect ?? {},
    connectTimeout: options.connect?.timeout ?? CONNECT_MS,
    clientFactory: (origin, { connect }: { connect?: object }) =>
      new undici.Pool(origin, { connect: connect ?? {}, headersTimeout: CONNECT_MS }),
  } as ConstructorParameters<typeof undici.EnvHttpProxyAgent>[0]);
  // A list of headers would lose all but the last of those with one name.
  return proxied.compose(
    (dispatch) => (request, handler) => dispatch({ ...request, headers: byName(request.headers) }, handler),
  );
}

/**
 * Returns the HTTP proxies of an environment; undefined if it names none. Proxies of other kinds are left out.
 *
 * Source: https://everything.curl.dev/usingcurl/proxies/env.html.
 */
export function httpProxiesOf(environment: Environment = process.env): HttpProxies | undefined {
  const [httpProxy, httpsProxy] = [proxyOf('http_proxy', environment), proxyOf('https_proxy', environment)];
  if (httpProxy === '' && httpsProxy === '') return undefined;
  const noProxy = ['localhost,127.0.0.1,::1', variableOf('no_proxy', environment)].filter(Boolean).join(',');
  return { httpProxy, httpsProxy, noProxy };
}

/** Returns a variable; curl reads its name in lower case first. */
function variableOf(name: string, environment: Environment): string {
  return environment[name] || environment[name.toUpperCase()] || '';
}

function proxyOf(variable: string, environment: Environment): string {
  for (const name of [variable, 'all_proxy']) {
    const value = variableOf(name, environment).trim();
    if (value === '') continue;
    const address = /^\w+:\/\//.test(value) ? value : `http://${value}`;
    if (!URL.canParse(address)) {
      throw new Error(`${name.toUpperCase()} must be the address of a proxy, such as http://proxy:3128.`);
    }
    if (/^https?:/i.test(address)) return address;
  }
  return '';
}

function byName(headers: Dispatcher.DispatchOptions['headers']): Record<string, string | string[]> {
  const named = new Map<string, { readonly name: string; readonly values: string[] }>();
  for (const [name, value = []] of pairsOf(headers)) {
    const header = named.get(name.toLowerCase()) ?? { name, values: [] };
    header.values.push(...[value].flat());
    named.set(name.toLowerCase(), header);
  }
  return Object.fromEntries(
    [...named.values()].map(({ name, values }) => [name, values.length === 1 ? values[0]! : values]),
  );
}

type HeaderPair = readonly [string, string | readonly string[] | undefined];

function pairsOf(headers: Dispatcher.DispatchOptions['headers']): Iterable<HeaderPair> {
  if (!headers) return [];
  if (Array.isArray(headers)) {
    return headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]] as const] : []));
  }
  return (Symbol.iterator in headers ? headers : Object.entries(headers)) as Iterable<HeaderPair>;
}
