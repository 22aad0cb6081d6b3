import { descendantsOf } from './process-tree.ts';

/** Kills a process and all its descendants, as far as the system reports them. */
export function endProcessTree(root: number): void {
  for (const pid of [root, ...descendantsOf(root).map((one) => one.pid)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
