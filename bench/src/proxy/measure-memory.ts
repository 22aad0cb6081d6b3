import { readMetric } from '../read-metric.ts';
import type { RunningProcess } from '../start-process.ts';
import { Connection } from './connection.ts';
import { growth } from './growth.ts';
import type { MemoryReport } from './report-memory.ts';
import { bodyWithTools, requestBytes } from './requests.ts';

/** Memory at one time. */
export interface MemoryPoint extends MemoryReport {
  /** Number of exchanges so far. */
  readonly exchanges: number;
}

/** The proxy's memory over many streamed exchanges. */
export interface MemoryCourse {
  readonly points: readonly MemoryPoint[];
  /** Bytes per exchange, by the least-squares line. */
  readonly growth: { readonly resident: number; readonly held: number };
  /** Number of exchanges still open after the last one. */
  readonly open: number;
}

/** Number of exchanges, and interval between readings of memory. */
export interface MemoryEffort {
  readonly exchanges: number;
  readonly step: number;
}

const AT_A_TIME = 4;
/** Number of different conversations, in which found tools stay visible. */
const SESSIONS = 64;

/**
 * Sends streamed exchanges with 200 tools to a proxy that defers them. Of twenty, seventeen get a text
 * response, two a search, and one client leaves when its response has begun.
 *
 * The first step fills what fills only once (compiled code, pools, sessions, the index of the tools) and is
 * not a data point.
 */
export async function measureMemory(
  proxy: RunningProcess,
  { exchanges, step }: MemoryEffort,
): Promise<MemoryCourse> {
  const send = makeSender(proxy.url);
  await sendMany(send, 0, step);
  const points: MemoryPoint[] = [];
  for (let sent = 0; sent < exchanges; sent += step) {
    await sendMany(send, sent, step);
    points.push({ exchanges: sent + step, ...(await proxy.ask<MemoryReport>('memory')) });
  }
  return {
    points,
    growth: {
      resident: growth(points.map((point) => [point.exchanges, point.resident])),
      held: growth(points.map((point) => [point.exchanges, point.held])),
    },
    open: await readMetric(proxy.url, 'winnow_proxy_open_exchanges'),
  };
}

type Send = (connection: Connection | undefined, turn: number) => Promise<Connection | undefined>;

/** Sends the exchange of a turn, and returns the connection for the next one. */
function makeSender(url: string): Send {
  const body = bodyWithTools(true, 1);
  const sessions = Array.from({ length: SESSIONS }, (_, position) => `memory-${position}`);
  const texts = sessions.map((session) => requestBytes(body, { answer: 'stream', session }));
  const { query } = body;
  const searches = sessions.map((session) => requestBytes(body, { answer: 'search', query, session }));
  const unending = requestBytes(body, { answer: 'unending' });
  return async (open, turn) => {
    const connection = open ?? (await Connection.open(url));
    if (turn % 20 === 19) {
      await connection.exchangeAndLeave(unending);
      return undefined;
    }
    const requests = turn % 10 === 5 ? searches : texts;
    await connection.exchange(requests[turn % SESSIONS]!);
    return connection;
  };
}

async function sendMany(send: Send, first: number, count: number): Promise<void> {
  let next = first;
  const work = async (): Promise<void> => {
    let connection: Connection | undefined;
    while (next < first + count) {
      const turn = next;
      next += 1;
      connection = await send(connection, turn);
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}
