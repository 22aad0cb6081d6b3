import { Agent, CircuitBreaker } from '@winnow/service';
import type { Settings } from '../config/config.ts';
import { createRegistryClient, type RegistryClient } from './registry-client.ts';

/** The registry whose tools are offered. */
export interface OfferedRegistry {
  readonly call: RegistryClient;
  /** Of the operator; empty when there is none. */
  readonly token: string;
  /** Whether it has failed so often that it is left alone for a while. */
  readonly isAway: () => boolean;
  close(): Promise<void>;
}

/** Failures in a row that open the breaker, and how long it stays open. */
const BREAKER = { failures: 5, openMs: 5_000 } as const;

/** Calls that run at once; more wait for one of them, within their time limit. */
const CONNECTIONS = 64;

/** The registry of the settings; undefined where nothing is to be offered. */
export function openRegistry(
  settings: Settings,
  { now, deadline }: { readonly now: () => number; readonly deadline: (timeoutMs: number) => AbortSignal },
): OfferedRegistry | undefined {
  if (!settings['registry.offer']) return undefined;
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  const breaker = new CircuitBreaker({ ...BREAKER, now });
  const options = { url: settings['registry.url'], timeoutMs: settings['registry.timeout'] };
  return {
    call: createRegistryClient(options, { agent, breaker, deadline }),
    token: settings['registry.token'],
    isAway: () => breaker.state === 'open',
    close: () => agent.destroy(),
  };
}
