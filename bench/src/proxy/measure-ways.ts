import { Connection } from './connection.ts';

/** A value for each way, by name. */
export type ByWay<Value> = ReadonlyMap<string, Value>;

/** Requests and their destinations. */
export interface WaysOptions {
  /** The destination of each way. */
  readonly urls: ByWay<string>;
  /** Returns the request of a sample on a way. */
  readonly request: (sample: number, way: string) => Buffer;
  /** Number of exchanges on each way, without the warm-up. */
  readonly samples: number;
  /** Warm-up exchanges on each way. */
  readonly warmUp?: number;
  /** Waits after each exchange, so that its background work is over before the next one on another way. */
  readonly pause?: () => Promise<unknown>;
}

const WARM_UP = 50;

/**
 * Measures the exchanges on each way, in milliseconds until the last byte, in the order of the samples.
 *
 * One exchange at a time, alternating between ways; the first way changes each time, so that no way always
 * follows the same one.
 */
export async function measureWays({
  urls,
  request,
  samples,
  warmUp = WARM_UP,
  pause = async () => {},
}: WaysOptions): Promise<ByWay<number[]>> {
  const ways = [...urls.keys()];
  const connections = new Map<string, Connection>();
  const times = new Map<string, number[]>(ways.map((way) => [way, []]));
  try {
    for (const [way, url] of urls) connections.set(way, await Connection.open(url));
    for (let sample = 0; sample < warmUp + samples; sample += 1) {
      for (let place = 0; place < ways.length; place += 1) {
        const way = ways[(sample + place) % ways.length]!;
        const { totalMs } = await connections.get(way)!.exchange(request(sample, way));
        if (sample >= warmUp) times.get(way)!.push(totalMs);
        await pause();
      }
    }
  } finally {
    for (const connection of connections.values()) connection.close();
  }
  return times;
}
