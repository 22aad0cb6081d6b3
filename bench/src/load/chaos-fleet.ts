import { type RedisServer, startRedis } from '@winnow/testkit';
import type { RunningProcess } from '../start-process.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import type { FleetOptions } from './fleet.ts';
import { type Relay, startRelay } from './relay.ts';
import { ReplaceableProcess } from './replaceable-process.ts';
import { startProxyProcess, startSelectorProcess, startUpstreamProcess } from './start-service.ts';

/**
 * Two of each service, one Redis and the strict upstream, with relays between them and a balancer in front of
 * the proxies.
 */
export interface ChaosFleet {
  readonly upstream: RunningProcess;
  readonly redis: RedisServer;
  readonly selectors: readonly ReplaceableProcess[];
  readonly proxies: readonly ReplaceableProcess[];
  /** The relay between proxies and selectors, which alternates by connection whether they are up or not. */
  readonly selectorRelay: Relay;
  readonly redisRelay: Relay;
  readonly balancer: Balancer;
  stop(): Promise<void>;
}

/**
 * Time that a draining proxy still accepts requests: longer than the balancer needs to notice, and than
 * clients keep idle connections.
 */
const DRAIN_DELAY = '5s';

/** Starts the fleet. If a part fails to start, stops the others. */
export async function startChaosFleet({ seed, haste, settings }: FleetOptions): Promise<ChaosFleet> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  const keep = <Value>(value: Value, end: (value: Value) => Promise<unknown>): Value => {
    stops.push(() => end(value));
    return value;
  };
  try {
    const upstream = keep(await startUpstreamProcess({ seed, haste }), (process) => process.stop());
    const plainUrl = await upstream.ask<string>('plainUrl');
    const redis = keep(await startRedis(), (server) => server.close());
    const start = async (name: string, startOn: (port: number) => Promise<RunningProcess>) =>
      keep(await ReplaceableProcess.start(name, startOn), (service) => service.stop());
    const selectors = [
      await start('selector 1', startSelectorProcess),
      await start('selector 2', startSelectorProcess),
    ];
    let turn = 0;
    const nextSelector = () => [selectors[turn++ % selectors.length]!.port];
    const selectorRelay = keep(await startRelay(nextSelector), (relay) => relay.close());
    const redisRelay = keep(await startRelay(() => [redis.port]), (relay) => relay.close());
    const startProxy = (port: number) =>
      startProxyProcess({
        upstreamUrl: upstream.url,
        plainUrl,
        selectorUrl: `http://127.0.0.1:${selectorRelay.port}`,
        redisUrl: `redis://127.0.0.1:${redisRelay.port}`,
        recordsFile: 'none',
        port,
        settings: { PROXY_SERVER_DRAIN_DELAY: DRAIN_DELAY, ...settings },
      });
    const proxies = [await start('proxy 1', startProxy), await start('proxy 2', startProxy)];
    const balancer = keep(await startBalancer(proxies), (one) => one.close());
    return { upstream, redis, selectors, proxies, selectorRelay, redisRelay, balancer, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
