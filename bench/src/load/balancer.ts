import { request } from 'node:http';
import { type Relay, startRelay } from './relay.ts';
import type { ReplaceableProcess } from './replaceable-process.ts';

/** A load balancer in front of the proxies. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** How long after an answer readiness is asked for again, and how long an answer may take, in milliseconds. */
const [LOOK_EVERY_MS, LOOK_TIMEOUT_MS] = [100, 2_000];

/**
 * Starts a balancer as plain as there are: it gives each new connection to the next proxy whose `readyz` says that it is ready, and to any when
 * none is. A connection that a proxy does not take goes to another one.
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

/** Over a connection of its own each time: one that is kept would be counted among those that a proxy has open. */
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
