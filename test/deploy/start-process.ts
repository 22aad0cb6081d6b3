import { spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { type ProcessOptions, type RunningProcess, runProcess } from './run-process.ts';

export { findFreePort, type ProcessOptions, type RunningProcess } from './run-process.ts';

/** Starts a program; it is killed when the test ends. */
export function startProcess(options: ProcessOptions): RunningProcess {
  const running = runProcess(options);
  onTestFinished(running.kill);
  return running;
}

/** Runs a command to its end and returns its exit code. */
export function runToEnd({ command, environment, folder }: ProcessOptions): number | null {
  const [program, ...args] = command;
  return spawnSync(program!, args, { cwd: folder, env: { PATH: process.env.PATH, ...environment } }).status;
}
