import { createRequire } from 'node:module';
import type { Dispatcher, EnvHttpProxyAgent, Agent as UndiciAgent } from 'undici';

const load = createRequire(import.meta.url);

/**
 * Undici's connection pool with `dispatch` and `request`, without the rest of the library: its entry loads
 * `fetch`, caches, web sockets and their dependencies, which takes a fifth of the proxy's start. The version
 * is pinned; tests start both services.
 */
export const Agent: typeof UndiciAgent = load('undici/lib/dispatcher/agent.js');
export type Agent = UndiciAgent;

// The library's entry does the same.
Agent.prototype.request = load('undici/lib/api/api-request.js');

/**
 * Opens a pool whose connections go through HTTP proxies, for those hosts that are not excepted. It is loaded
 * on first use.
 */
export function openProxiedAgent(options: EnvHttpProxyAgent.Options): Dispatcher {
  const Proxied: typeof EnvHttpProxyAgent = load('undici/lib/dispatcher/env-http-proxy-agent.js');
  return new Proxied(options);
}
