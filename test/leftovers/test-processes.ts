import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { relative } from 'node:path';
import { afterAll, expect, inject } from 'vitest';
import { endProcessTree } from './end-process-tree.ts';
import { RegisteredProcesses } from './registered-processes.ts';

// Temporary files go to a folder that is deleted with the run.
process.env.TMPDIR = inject('temporaryFolder');

const registered = new RegisteredProcesses(inject('processFolder'));

const running = new Set<ChildProcess>();

// https://nodejs.org/api/diagnostics_channel.html#child-process
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  child.once('spawn', () => {
    const entry = { pid: child.pid!, owner: process.pid, name: child.spawnargs.join(' ') };
    registered.add(entry);
    running.add(child);
    child.once('exit', () => {
      registered.remove(entry);
      running.delete(child);
    });
  });
});

/**
 * Registers this worker for the current test file, and each process that its tests start, so that the reaper
 * ends them if the tests cannot. A test file that leaves one running at its end fails.
 */
export function registerTestFile(): void {
  const testFile = relative('', expect.getState().testPath ?? '');
  registered.add({ pid: process.pid, owner: process.ppid, name: testFile });
  afterAll(async () => {
    const left = [...running];
    for (const child of left) endProcessTree(child.pid!);
    await Promise.all(left.map((child) => once(child, 'exit')));
    const names = left.map((child) => child.spawnargs.join(' '));
    expect(names, `${testFile} has left these processes running`).toEqual([]);
  });
}
