import type { RunningProcess } from '../start-process.ts';
import { type SendingEffort, sendMany } from './send-many.ts';

/** Load for a fresh process. */
export interface PeakEffort extends SendingEffort {
  /** Number of fresh processes, one after another. */
  readonly starts: number;
}

/** Peak memory of a process tree, for each of several fresh ones. */
export interface PeakMemory {
  readonly name: string;
  readonly connections: number;
  readonly exchanges: number;
  /** In bytes; `undefined` if the system does not report it. */
  readonly peaks: readonly (number | undefined)[];
}

/** Sends requests in turn over busy connections, and returns the receiver's peak memory since its start. */
export async function measurePeak(
  receiver: Pick<RunningProcess, 'url' | 'peakBytes'>,
  requests: readonly Buffer[],
  effort: PeakEffort,
): Promise<number | undefined> {
  let next = 0;
  await sendMany(receiver.url, () => requests[next++ % requests.length]!, effort);
  return receiver.peakBytes();
}
