/** Loaded into a process before its own code: answers every message from the bench with the memory that the process holds. */
import { collectAllGarbage } from '../selector/collect-garbage.ts';

/** Memory of a process, in bytes. */
export interface MemoryReport {
  /** Resident memory, as the system counts it, before anything is collected for the question's sake. */
  readonly resident: number;
  /** The heap and its buffers after a full collection: what is really held. */
  readonly held: number;
}

process.on('message', () => {
  const resident = process.memoryUsage.rss();
  collectAllGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const report: MemoryReport = { resident, held: heapUsed + external };
  process.send!(report);
});
// Listening alone must not keep the process from ending.
process.channel?.unref();
