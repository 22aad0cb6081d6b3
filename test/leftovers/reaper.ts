/**
 * A process that briefly outlives a test run and ends everything that the run leaves behind: Vitest, one of
 * its workers or both may be killed at any time, and then no other process is left to do it.
 *
 * Arguments: the folder of the run, with the registered processes in `processes`, and the timeout of one test
 * file, in milliseconds. Vitest holds a channel to it.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { endProcessTree } from './end-process-tree.ts';
import { type RegisteredProcess, RegisteredProcesses } from './registered-processes.ts';

const LOOK_EVERY_MS = 250;
/** After the run: a worker may have been about to register. */
const LAST_LOOKS = 3;

const [folder, fileLimitMs] = process.argv.slice(2) as [string, string];
const registered = new RegisteredProcesses(join(folder, 'processes'));
const vitest = process.ppid;

setInterval(() => {
  for (const one of registered.all()) {
    // Its number may soon belong to another process.
    if (!isRunning(one.pid)) registered.remove(one);
    else if (mustEnd(one)) end(one);
  }
}, LOOK_EVERY_MS);

process.once('disconnect', () => {
  let looks = 0;
  const look = () => {
    for (const one of registered.all()) end(one);
    looks += 1;
    if (looks < LAST_LOOKS) return setTimeout(look, LOOK_EVERY_MS);
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  };
  look();
});

// Ctrl-C and the end of the terminal reach the whole process group; leftovers are known only afterwards.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

function mustEnd({ owner, name, since }: RegisteredProcess): boolean {
  if (!isRunning(owner)) return true;
  const isStuck = owner === vitest && Date.now() - since > Number(fileLimitMs);
  if (isStuck) console.error(`${name} has not ended within ${Number(fileLimitMs) / 1_000} s and is killed.`);
  return isStuck;
}

function end(one: RegisteredProcess): void {
  endProcessTree(one.pid);
  registered.remove(one);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
