import { Connection, type ExchangeTimes } from './connection.ts';
import type { Receiver } from './receiver.ts';

/** A request that is sent again and again, or the next one of many. */
export type Requests = Buffer | (() => Buffer);

/** Load and duration of a window. */
export interface WindowOptions {
  readonly receiver: Receiver;
  readonly request: Requests;
  readonly connections: number;
  readonly windowMs: number;
}

/** Measurements of one window. */
export interface Window {
  readonly perSecond: number;
  /**
   * Processor time per exchange of the receiver's process tree, in microseconds; `undefined` if the system
   * does not report it.
   */
  readonly cpuUs: number | undefined;
  /** The same for the bench itself: the cost of sending and reading. */
  readonly benchCpuUs: number;
  readonly times: readonly ExchangeTimes[];
}

/** Number of exchanges before a window begins, while both sides open new connections. */
const SETTLE_MS = 50;

/** Sends over its own connections, each of which sends its next request as soon as it has its response. */
export async function measureWindow({
  receiver,
  request,
  connections: count,
  windowMs,
}: WindowOptions): Promise<Window> {
  const connections = await Connection.openAll(receiver.url, count);
  try {
    await sendFor(SETTLE_MS, connections, request);
    const before = receiver.cpuMs();
    const benchBefore = process.cpuUsage();
    const startedAt = performance.now();
    const times = await sendFor(windowMs, connections, request);
    const elapsedMs = performance.now() - startedAt;
    const bench = process.cpuUsage(benchBefore);
    const after = receiver.cpuMs();
    return {
      perSecond: (times.length * 1_000) / elapsedMs,
      cpuUs:
        before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / times.length,
      benchCpuUs: (bench.user + bench.system) / times.length,
      times,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function sendFor(
  durationMs: number,
  connections: readonly Connection[],
  request: Requests,
): Promise<ExchangeTimes[]> {
  const deadline = performance.now() + durationMs;
  const times: ExchangeTimes[] = [];
  const send = async (connection: Connection): Promise<void> => {
    // At least once: on a busy machine, a short window may be over before its first exchange.
    do times.push(await connection.exchange(nextOf(request)));
    while (performance.now() < deadline);
  };
  await Promise.all(connections.map(send));
  return times;
}

export function nextOf(requests: Requests): Buffer {
  return typeof requests === 'function' ? requests() : requests;
}
