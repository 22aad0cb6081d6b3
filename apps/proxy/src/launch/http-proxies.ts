import type { Environment } from './redirect.ts';

/** The names of curl's variables, in lower case, which is read first. */
const read = (environment: Environment, name: string) =>
  environment[name] || environment[name.toUpperCase()] || '';

/** Returns an environment whose HTTP proxies, if it names any, are not used for addresses on this machine. */
export function withoutProxies(environment: Environment): Environment {
  const hasProxies = ['http_proxy', 'https_proxy', 'all_proxy'].some((name) => read(environment, name));
  if (!hasProxies) return environment;
  const excepted = ['127.0.0.1', read(environment, 'no_proxy')].filter(Boolean).join(',');
  return { ...environment, no_proxy: excepted, NO_PROXY: excepted };
}
