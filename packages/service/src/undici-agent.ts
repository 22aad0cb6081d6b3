import { createRequire } from 'node:module';
import type { Agent as UndiciAgent } from 'undici';

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
