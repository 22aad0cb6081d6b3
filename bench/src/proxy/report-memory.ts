/**
 * A module loaded into a process before its own code: answers the question `memory` with the memory of the
 * process.
 */
import { answerQuestions } from '../answer-questions.ts';
import { collectAllGarbage } from '../selector/collect-garbage.ts';

/** Memory of a process, in bytes. */
export interface MemoryReport {
  /** Resident memory as the system counts it, before the collection for this question. */
  readonly resident: number;
  /** The heap and its buffers after a full collection: the memory in use. */
  readonly held: number;
}

answerQuestions({
  memory: (): MemoryReport => {
    const resident = process.memoryUsage.rss();
    collectAllGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return { resident, held: heapUsed + external };
  },
});
