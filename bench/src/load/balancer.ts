import { type Relay, startRelay } from './relay.ts';
import type { ReplaceableProcess } from './replaceable-process.ts';

/** A load balancer in front of the proxies. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** How often readiness is asked for, and how long an answer may take, in milliseconds. */
const [LOOK_EVERY_MS, LOOK_TIMEOUT_MS] = [100, 1_000];

/** Starts a balancer as plain as there are: it gives each new connection to the next proxy whose `readyz` says that it is ready. */
export async function startBalancer(proxies: readonly ReplaceableProcess[]): Promise<Balancer> {
  const isReady = new Map(proxies.map((proxy) => [proxy, true]));
  let turn = 0;
  const choosePorts = () => {
    turn += 1;
    const order = proxies.map((_, position) => proxies[(turn + position) % proxies.length]!);
    return order.filter((proxy) => isReady.get(proxy)).map(({ port }) => port);
  };
  const look = async (proxy: ReplaceableProcess) => {
    isReady.set(proxy, await saysReady(proxy));
  };
  const timer = setInterval(() => void Promise.all(proxies.map(look)), LOOK_EVERY_MS);
  const relay: Relay = await startRelay(choosePorts);
  return {
    url: `http://127.0.0.1:${relay.port}`,
    async close() {
      clearInterval(timer);
      await relay.close();
    },
  };
}

async function saysReady({ port }: ReplaceableProcess): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    // A connection that is kept would hold up the end of a proxy that drains.
    const headers = { connection: 'close' };
    return (await fetch(`http://127.0.0.1:${port}/_winnow/readyz`, { signal, headers })).ok;
  } catch {
    return false;
  }
}
