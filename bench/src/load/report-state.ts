/**
 * A module loaded into a service before its own code: reports the resources that the process holds to the
 * bench.
 */

import { answerQuestions } from '../answer-questions.ts';
import { collectAllGarbage } from '../selector/collect-garbage.ts';

/** Resources that an idle process holds. */
export interface ProcessState {
  /** The heap and its buffers after a full collection, in bytes. */
  readonly heldBytes: number;
  /** Resources that keep the event loop alive, by kind: sockets, timers, servers. */
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
