import type { RunningProcess } from '../start-process.ts';
import { mean, median } from '../summarize-times.ts';
import { Connection } from './connection.ts';
import { type ByRoute, forEachRoute, type RouteName } from './routes.ts';

/** How many requests per second each way takes. */
export interface Throughput {
  readonly connections: number;
  readonly bodyBytes: number;
  /** Means over all windows. */
  readonly perSecond: ByRoute<number>;
  /**
   * Processor time per request of the process that the requests are sent to, in milliseconds; `undefined` where the system does not
   * say. Other work on the machine changes it least of all figures.
   */
  readonly cpuMs: ByRoute<number | undefined>;
  /** Proxy over pipe: the median of the windows side by side. */
  readonly ratio: number;
  readonly windows: number;
}

/** How long to send. */
export interface ThroughputEffort {
  readonly windows: number;
  readonly windowMs: number;
}

/** Where the requests of a way are sent to. */
type Receiver = Pick<RunningProcess, 'url' | 'cpuMs'>;

interface Window {
  readonly answers: number;
  readonly perSecond: number;
  readonly cpuMs: number | undefined;
}

const CONNECTIONS = 16;

/** Sends over 16 connections for a window on each way, then for the next window; the first one warms up and is not counted. */
export async function measureThroughput(
  receivers: ByRoute<Receiver>,
  request: Buffer,
  { windows, windowMs }: ThroughputEffort,
): Promise<Throughput> {
  const connections = await forEachRoute((name) => openAll(receivers[name].url));
  const rounds: ByRoute<Window>[] = [];
  try {
    for (let round = 0; round <= windows; round += 1) {
      rounds.push(
        await forEachRoute((name) => {
          return measureWindow({
            receiver: receivers[name],
            connections: connections[name],
            request,
            windowMs,
          });
        }),
      );
    }
  } finally {
    for (const connection of Object.values(connections).flat()) connection.close();
  }
  const counted = rounds.slice(1);
  const windowsOf = (name: RouteName) => counted.map((round) => round[name]);
  return {
    connections: CONNECTIONS,
    bodyBytes: request.length,
    perSecond: await forEachRoute(async (name) => mean(windowsOf(name).map(({ perSecond }) => perSecond))),
    cpuMs: await forEachRoute(async (name) => cpuPerAnswer(windowsOf(name))),
    ratio: median(counted.map(({ pipe, proxy }) => proxy.perSecond / pipe.perSecond)),
    windows,
  };
}

function openAll(url: string): Promise<Connection[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(url)));
}

interface WindowOptions {
  readonly receiver: Receiver;
  readonly connections: readonly Connection[];
  readonly request: Buffer;
  readonly windowMs: number;
}

/** Every connection sends its next request when its last one is answered. */
async function measureWindow({ receiver, connections, request, windowMs }: WindowOptions): Promise<Window> {
  const usedBefore = receiver.cpuMs();
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
  const elapsedMs = performance.now() - startedAt;
  const usedAfter = receiver.cpuMs();
  return {
    answers,
    perSecond: (answers * 1_000) / elapsedMs,
    cpuMs: usedBefore === undefined || usedAfter === undefined ? undefined : usedAfter - usedBefore,
  };
}

/** Over all windows together: the system counts processor time in steps that are long beside one answer. */
function cpuPerAnswer(windows: readonly Window[]): number | undefined {
  const used = windows.map(({ cpuMs }) => cpuMs);
  if (used.includes(undefined)) return undefined;
  return mean(used as number[]) / mean(windows.map(({ answers }) => answers));
}
