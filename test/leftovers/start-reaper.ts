import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { onceNpmEnds } from '../../scripts/once-npm-ends.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the workers of this run register their processes. */
    readonly processFolder: string;
    /** Stands in for the system's folder of temporary files; gone when the run ends. */
    readonly temporaryFolder: string;
    /** How long one test file may take before its worker is killed, in milliseconds. */
    readonly fileLimitMs: number;
  }
}

/**
 * Runs once before all tests: starts the reaper, which ends what this run leaves behind, however it comes to its end. That is the end of the
 * process: when the tests are over, Vitest still ends its workers by itself.
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
      // A group of its own: a signal to all of ours must not end it.
      detached: true,
    },
  );
  // It waits for the end of this process, which must not wait for it.
  reaper.unref();
  reaper.channel?.unref();
  onceNpmEnds(() => process.kill(process.pid, 'SIGTERM'));
}
