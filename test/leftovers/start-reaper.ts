import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { onceNpmEnds } from '../../scripts/once-npm-ends.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which the workers of this run register their processes. */
    readonly processFolder: string;
    /** Replaces the system's folder of temporary files; deleted when the run ends. */
    readonly temporaryFolder: string;
    /** Time after which the worker of a test file is killed, in milliseconds. */
    readonly fileLimitMs: number;
  }
}

/**
 * Runs once before all tests: starts the reaper, which ends everything that this run leaves behind, however
 * it ends. The end is that of the process: after the tests, Vitest still ends its workers itself.
 */
export default function startReaper(project: TestProject): void {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-test-run-'));
  const [processFolder, temporaryFolder] = [join(folder, 'processes'), join(folder, 'tmp')];
  for (const one of [processFolder, temporaryFolder]) mkdirSync(one);
  project.provide('processFolder', processFolder);
  project.provide('temporaryFolder', temporaryFolder);
  const { fileLimitMs } = project.getProvidedContext();
  const reaper = spawn(
    process.execPath,
    [join(import.meta.dirname, 'reaper.ts'), folder, String(fileLimitMs)],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // A separate group: a signal to this one must not end it.
      detached: true,
    },
  );
  // The reaper waits for the end of this process, which must not wait for the reaper.
  reaper.unref();
  reaper.channel?.unref();
  onceNpmEnds(() => process.kill(process.pid, 'SIGTERM'));
}
