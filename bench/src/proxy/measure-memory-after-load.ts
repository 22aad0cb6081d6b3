import { setTimeout as pause } from 'node:timers/promises';
import { readProcess } from '../load/read-process.ts';
import type { RunningProcess } from '../start-process.ts';
import { withProcesses } from '../with-processes.ts';
import { type Bench, startUndiciPipe } from './bench.ts';
import { bodyOfConversation, numbered, requestBytes } from './requests.ts';
import { sendMany } from './send-many.ts';
import { startProxy } from './start-proxy.ts';

/** Load for a fresh process. */
export interface LoadEffort {
  readonly connections: number;
  readonly seconds: number;
}

/** Memory of a process after a load, in bytes; `undefined` if the system does not report it. */
export interface LoadedMemory {
  readonly name: string;
  readonly resident: number | undefined;
  readonly peak: number | undefined;
}

/** Number of exchanges between two looks at the clock. */
const EXCHANGES = 256;
/** Longer than a process that has nothing to do takes to give memory back. */
const REST_MS = 2_000;

/**
 * Sends conversations of two requests with 200 deferred tools, the second one streamed, to fresh processes of the pipe
 * and of each proxy at the same time, and reads their memory afterwards.
 */
export async function measureMemoryAfterLoad(bench: Bench): Promise<LoadedMemory[]> {
  const { plan, checkouts, upstream, report } = bench;
  const { connections, seconds } = plan.load;
  report(`memory after ${seconds} s of load`);
  const measure = async (name: string, starting: Promise<RunningProcess>): Promise<LoadedMemory> => {
    const [whole, streamed] = [false, true].map((isStream) =>
      numbered(requestBytes(bodyOfConversation(isStream), { answer: isStream ? 'stream' : 'whole' })),
    );
    let turn = 0;
    const next = () => (turn++ % 2 === 0 ? whole!() : streamed!());
    return withProcesses(async (keep) => {
      const { url, pid, peakBytes } = await keep(starting);
      const until = performance.now() + seconds * 1_000;
      while (performance.now() < until) await sendMany(url, next, { connections, exchanges: EXCHANGES });
      await pause(REST_MS);
      return { name, resident: readProcess(pid).residentBytes, peak: peakBytes() };
    });
  };
  return Promise.all([
    measure('pipe', startUndiciPipe(bench)),
    ...checkouts.map((checkout) =>
      measure(checkout.name, startProxy({ checkout, upstreamUrl: upstream.url, strategy: 'tool-search' })),
    ),
  ]);
}
