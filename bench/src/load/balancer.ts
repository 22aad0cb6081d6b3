import { request } from 'node:http';
import { type Relay, startRelay } from './relay.ts';
import type { ReplaceableProcess } from './replaceable-process.ts';

/** A load balancer in front of the proxies. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** Interval between readiness checks and their timeout, in milliseconds. */
const [LOOK_EVERY_MS, LOOK_TIMEOUT_MS] = [100, 2_000];

/**
 * Starts a minimal balancer: it gives each new connection to the next proxy whose `readyz` reports ready, or
 * to any if none does. If a proxy refuses a connection, another one gets it.
 */
export async function startBalancer(proxies: readonly ReplaceableProcess[]): Promise<Balancer> {
  const isReady = new Map(proxies.map((proxy) => [proxy, true]));
  const timers = new Map<ReplaceableProcess, NodeJS.Timeout>();
  let turn = 0;
  const choosePorts = () => {
    turn += 1;
    const order = proxies.map((_, position) => proxies[(turn + position) % proxies.length]!);
    const ready = order.filter((proxy) => isReady.get(proxy));
    return [...ready, ...order.filter((proxy) => !ready.includes(proxy))].map(({ port }) => port);
  };
  const look = async (proxy: ReplaceableProcess): Promise<void> => {
    isReady.set(proxy, await saysReady(proxy));
    if (timers.has(proxy)) watch(proxy);
  };
  const watch = (proxy: ReplaceableProcess) => {
    timers.set(
      proxy,
      setTimeout(() => void look(proxy), LOOK_EVERY_MS),
    );
  };
  for (const proxy of proxies) watch(proxy);
  const relay: Relay = await startRelay(choosePorts);
  return {
    url: `http://127.0.0.1:${relay.port}`,
    async close() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      await relay.close();
    },
  };
}

/** Uses a new connection each time: a kept-alive one would count among the proxy's open connections. */
function saysReady({ port }: ReplaceableProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = request({
      host: '127.0.0.1',
      port,
      path: '/_winnow/readyz',
      agent: false,
      signal: AbortSignal.timeout(LOOK_TIMEOUT_MS),
    });
    asking.on('error', () => resolve(false));
    asking.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asking.end();
  });
}
