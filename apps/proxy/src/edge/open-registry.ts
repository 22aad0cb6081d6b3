import { createRegistryClient } from '@winnow/clients';
import { Agent, CircuitBreaker } from '@winnow/service';
import type { Settings } from '../config/config.ts';
import { createCallRegistry, type OfferedRegistry } from '../offer/call-registry.ts';

/** The registry whose tools are offered, with a way to close its connections. */
export interface OpenRegistry extends OfferedRegistry {
  close(): Promise<void>;
}

/** Consecutive failures that open the breaker, and how long it stays open. */
const BREAKER = { failures: 5, openMs: 5_000 } as const;

/** Maximum number of concurrent calls; further calls wait for one of these within their time limit. */
const CONNECTIONS = 64;

/** Opens the configured registry; undefined if no tools are offered. */
export function openRegistry(
  settings: Settings,
  { now, deadline }: { readonly now: () => number; readonly deadline: (timeoutMs: number) => AbortSignal },
): OpenRegistry | undefined {
  if (!settings['registry.offer']) return undefined;
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  const breaker = new CircuitBreaker({ ...BREAKER, now });
  const token = settings['registry.token'];
  const client = createRegistryClient({ url: settings['registry.url'], token }, agent);
  return {
    call: createCallRegistry({ client, breaker, timeoutMs: settings['registry.timeout'], deadline }),
    token,
    isAway: () => breaker.state === 'open',
    close: () => agent.destroy(),
  };
}
