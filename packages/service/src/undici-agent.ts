import { createRequire } from 'node:module';
import type { Agent as UndiciAgent } from 'undici';

const load = createRequire(import.meta.url);

/**
 * The pool of connections of undici, with `dispatch` and `request`, and without the rest of the library: its entry loads `fetch`, caches,
 * web sockets and all that they need, which takes a fifth of the proxy's start. The version is pinned; tests start both services.
 */
export const Agent: typeof UndiciAgent = load('undici/lib/dispatcher/agent.js');
export type Agent = UndiciAgent;

// As the library's entry does.
Agent.prototype.request = load('undici/lib/api/api-request.js');
