import type { HttpProxies } from '../edge/upstream-client.ts';
import type { Environment } from './redirect.ts';

/** The names of curl's variables, in lower case, which is read first. */
const read = (environment: Environment, name: string) =>
  environment[name] || environment[name.toUpperCase()] || '';

/**
 * Returns the HTTP proxies of an environment; undefined if it names none. Proxies of other kinds are left out.
 *
 * Source: https://everything.curl.dev/usingcurl/proxies/env.html.
 */
export function httpProxiesOf(environment: Environment): HttpProxies | undefined {
  const proxyOf = (name: string) => [read(environment, name), read(environment, 'all_proxy')].find(isHttp);
  const [httpProxy = '', httpsProxy = ''] = [proxyOf('http_proxy'), proxyOf('https_proxy')];
  if (httpProxy === '' && httpsProxy === '') return undefined;
  return { httpProxy, httpsProxy, noProxy: read(environment, 'no_proxy') };
}

/** Returns an environment whose HTTP proxies, if it names any, are not used for addresses on this machine. */
export function withoutProxies(environment: Environment): Environment {
  const hasProxies = ['http_proxy', 'https_proxy', 'all_proxy'].some((name) => read(environment, name));
  if (!hasProxies) return environment;
  const excepted = ['127.0.0.1', read(environment, 'no_proxy')].filter(Boolean).join(',');
  return { ...environment, no_proxy: excepted, NO_PROXY: excepted };
}

function isHttp(address: string): boolean {
  return /^https?:\/\//.test(address);
}
