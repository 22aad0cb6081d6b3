import { descendantsOf } from './process-tree.ts';

/** Kills a process and everything that it has started, as far as the system tells. */
export function endProcessTree(root: number): void {
  for (const pid of [root, ...descendantsOf(root).map((one) => one.pid)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
