import type { RunningProcess } from '../start-process.ts';
import { type SendingEffort, sendMany } from './send-many.ts';

/** How much to send to a fresh process. */
export interface PeakEffort extends SendingEffort {
  /** Fresh processes, one after the other. */
  readonly starts: number;
}

/** The most memory that a process tree has had, for each of several fresh ones. */
export interface PeakMemory {
  readonly name: string;
  readonly connections: number;
  readonly exchanges: number;
  /** In bytes; `undefined` where the system does not say. */
  readonly peaks: readonly (number | undefined)[];
}

/** Sends requests in turn, over connections that do not rest, and tells the most memory that the receiver has had since its start. */
export async function measurePeak(
  receiver: Pick<RunningProcess, 'url' | 'peakBytes'>,
  requests: readonly Buffer[],
  effort: PeakEffort,
): Promise<number | undefined> {
  await sendMany(receiver.url, requests, effort);
  return receiver.peakBytes();
}
