/** Loaded into a service before its own code: tells the bench what the process holds. */

import { answerQuestions } from '../answer-questions.ts';
import { collectAllGarbage } from '../selector/collect-garbage.ts';

/** What a process holds when nothing is going on. */
export interface ProcessState {
  /** The heap and its buffers after a full collection, in bytes. */
  readonly heldBytes: number;
  /** What keeps the event loop alive, by its kind: sockets, timers, servers. */
  readonly resources: Readonly<Record<string, number>>;
}

answerQuestions({
  state: (): ProcessState => {
    collectAllGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return { heldBytes: heapUsed + external, resources: countByKind(process.getActiveResourcesInfo()) };
  },
});

function countByKind(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
