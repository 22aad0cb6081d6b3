import { mean, median } from '../summarize-times.ts';
import { Connection } from './connection.ts';
import { type ByRoute, forEachRoute } from './routes.ts';

/** How many requests per second each way takes. */
export interface Throughput {
  readonly connections: number;
  readonly bodyBytes: number;
  /** Means over all windows. */
  readonly perSecond: ByRoute<number>;
  /** Proxy over pipe: the median of the windows side by side. */
  readonly ratio: number;
  readonly windows: number;
}

/** How long to send. */
export interface ThroughputEffort {
  readonly windows: number;
  readonly windowMs: number;
}

const CONNECTIONS = 16;

/** Sends over 16 connections for a window on each way, then for the next window; the first one warms up and is not counted. */
export async function measureThroughput(
  urls: ByRoute<string>,
  request: Buffer,
  { windows, windowMs }: ThroughputEffort,
): Promise<Throughput> {
  const senders = await forEachRoute((name) => openAll(urls[name]));
  const rates: ByRoute<number>[] = [];
  try {
    for (let window = 0; window <= windows; window += 1) {
      rates.push(await forEachRoute((name) => measureRate(senders[name], request, windowMs)));
    }
  } finally {
    for (const connection of Object.values(senders).flat()) connection.close();
  }
  const counted = rates.slice(1);
  return {
    connections: CONNECTIONS,
    bodyBytes: request.length,
    perSecond: await forEachRoute(async (name) => mean(counted.map((rate) => rate[name]))),
    ratio: median(counted.map(({ pipe, proxy }) => proxy / pipe)),
    windows,
  };
}

function openAll(url: string): Promise<Connection[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(url)));
}

/** Every connection sends its next request when its last one is answered. */
async function measureRate(
  connections: readonly Connection[],
  request: Buffer,
  windowMs: number,
): Promise<number> {
  const startedAt = performance.now();
  const deadline = startedAt + windowMs;
  let answers = 0;
  const send = async (connection: Connection): Promise<void> => {
    while (performance.now() < deadline) {
      await connection.exchange(request);
      answers += 1;
    }
  };
  await Promise.all(connections.map(send));
  return (answers * 1_000) / (performance.now() - startedAt);
}
