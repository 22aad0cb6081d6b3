import type { RunningProcess } from '../start-process.ts';
import { summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import { Connection, type ExchangeTimes } from './connection.ts';
import { type ByRoute, forEachRoute, type RouteName } from './routes.ts';

/**
 * Duration of one exchange on each way in milliseconds, with one connection each and one exchange at a time.
 */
export interface Latency {
  readonly bodyBytes: number;
  /** Time until the first byte of the response's body. */
  readonly firstByte: ByRoute<TimeSummary>;
  /** Time until the last byte. */
  readonly total: ByRoute<TimeSummary>;
}

const WARM_UP = 50;

/** Sends the request `samples` times on each way, alternating between them. */
export async function measureLatency(
  receivers: ByRoute<Pick<RunningProcess, 'url'>>,
  request: Buffer,
  samples: number,
): Promise<Latency> {
  const connections = await forEachRoute((name) => Connection.open(receivers[name].url));
  const times: ByRoute<ExchangeTimes[]> = { direct: [], pipe: [], proxy: [] };
  try {
    for (let sample = 0; sample < WARM_UP + samples; sample += 1) {
      await forEachRoute(async (name) => times[name].push(await connections[name].exchange(request)));
    }
  } finally {
    for (const connection of Object.values(connections)) connection.close();
  }
  const summarize = (name: RouteName, kind: keyof ExchangeTimes): TimeSummary =>
    summarizeTimes(times[name].slice(WARM_UP).map((exchange) => exchange[kind]));
  return {
    bodyBytes: request.length,
    firstByte: await forEachRoute(async (name) => summarize(name, 'firstByteMs')),
    total: await forEachRoute(async (name) => summarize(name, 'totalMs')),
  };
}
