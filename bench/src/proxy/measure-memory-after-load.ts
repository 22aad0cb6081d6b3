import { setTimeout as pause } from 'node:timers/promises';
import { readProcess } from '../load/read-process.ts';
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
 * Sends new conversations with 200 deferred tools, whole and streamed in turn, to the pipe and to each proxy, one
 * after another, and reads their memory afterwards.
 */
export async function measureMemoryAfterLoad(bench: Bench): Promise<LoadedMemory[]> {
  const { plan, checkouts, upstream, report } = bench;
  const { connections, seconds } = plan.load;
  report(`memory after ${seconds} s of load`);
  const requests = [false, true].map((isStream) =>
    numbered(requestBytes(bodyOfConversation(isStream), { answer: isStream ? 'stream' : 'whole' })),
  );
  let turn = 0;
  const next = () => requests[turn++ % requests.length]!();
  const startables = [
    { name: 'pipe', start: () => startUndiciPipe(bench) },
    ...checkouts.map((checkout) => ({
      name: checkout.name,
      start: () => startProxy({ checkout, upstreamUrl: upstream.url, strategy: 'tool-search' }),
    })),
  ];
  const measured: LoadedMemory[] = [];
  for (const { name, start } of startables) {
    await withProcesses(async (keep) => {
      const { url, pid, peakBytes } = await keep(start());
      const until = performance.now() + seconds * 1_000;
      while (performance.now() < until) await sendMany(url, next, { connections, exchanges: EXCHANGES });
      await pause(REST_MS);
      measured.push({ name, resident: readProcess(pid).residentBytes, peak: peakBytes() });
    });
  }
  return measured;
}
