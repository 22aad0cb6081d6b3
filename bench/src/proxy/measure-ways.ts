import { Connection } from './connection.ts';

/** Something for each way, by its name. */
export type ByWay<Value> = ReadonlyMap<string, Value>;

/** What is sent to whom. */
export interface WaysOptions {
  /** Where the requests of each way go. */
  readonly urls: ByWay<string>;
  /** The request of each sample on a way. */
  readonly request: (sample: number, way: string) => Buffer;
  /** Exchanges on each way, the warm-up not counted. */
  readonly samples: number;
  /** Exchanges on each way before those that are counted. */
  readonly warmUp?: number;
  /** Waits after each exchange, so that what goes on beside it is over before the next one on another way. */
  readonly pause?: () => Promise<unknown>;
}

const WARM_UP = 50;

/**
 * What one exchange takes on each way, in milliseconds until its last byte, in the order of the samples.
 *
 * One exchange at a time, every time on all ways; which of them comes first changes each time, so that no way always follows the same one.
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
