import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisServer, startRedis } from '@winnow/testkit';
import type { RunningProcess } from '../start-process.ts';
import { startProxyProcess, startSelectorProcess, startUpstreamProcess } from './start-service.ts';

/** A service of a fleet, with its name in tables. */
export interface NamedProcess {
  readonly name: string;
  readonly process: RunningProcess;
}

/** Two of each service, one Redis and the strict upstream, each in its own process. */
export interface Fleet {
  readonly upstream: RunningProcess;
  readonly redis: RedisServer;
  readonly selectors: readonly NamedProcess[];
  readonly proxies: readonly NamedProcess[];
  /** Number of records that the proxies have written so far. */
  countRecords(): number;
  stop(): Promise<void>;
}

export interface FleetOptions {
  /** Seed of all conversations. */
  readonly seed: number;
  /** Factor that shortens the pauses of models, users and tools. */
  readonly haste: number;
  /** Settings of the proxies, as environment variables. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

const SIZE = 2;

/** Starts a fleet in which each proxy has its own selector. If a part fails to start, stops the others. */
export async function startFleet({ seed, haste, settings }: FleetOptions): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-load-'));
  const stops: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true })];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  const start = async (starting: Promise<RunningProcess>) => {
    const running = await starting;
    stops.push(() => running.stop());
    return running;
  };
  try {
    const upstream = await start(startUpstreamProcess({ seed, haste }));
    const plainUrl = await upstream.ask<string>('plainUrl');
    const redis = await startRedis();
    stops.push(() => redis.close());
    const selectors: NamedProcess[] = [];
    const proxies: NamedProcess[] = [];
    const recordsFiles: string[] = [];
    for (let position = 1; position <= SIZE; position += 1) {
      const selector = await start(startSelectorProcess());
      const recordsFile = join(folder, `records-${position}.jsonl`);
      const surroundings = {
        upstreamUrl: upstream.url,
        plainUrl,
        selectorUrl: selector.url,
        redisUrl: redis.url,
      };
      const proxy = await start(startProxyProcess({ ...surroundings, recordsFile, settings }));
      selectors.push({ name: `selector ${position}`, process: selector });
      proxies.push({ name: `proxy ${position}`, process: proxy });
      recordsFiles.push(recordsFile);
    }
    return { upstream, redis, selectors, proxies, stop, countRecords: () => countExchanges(recordsFiles) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the number of exchanges in files of records. */
function countExchanges(files: readonly string[]): number {
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.filter((line) => line.includes('"event":"exchange"')).length;
}
