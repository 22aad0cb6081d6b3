import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** A program that runs as a process of this machine. */
export interface RunningProcess {
  readonly pid: number;
  /** Its output so far, on both streams. */
  readonly output: () => string;
  /** Resolves with the match as soon as its output has one, and rejects if it ends first. */
  readonly says: (pattern: RegExp) => Promise<RegExpMatchArray>;
  /** Stops it as Docker does, and returns its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** A command with its arguments and its environment, which is otherwise empty apart from PATH. */
export interface ProcessOptions {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** Starts a program; it is killed when the test ends, or when `atEnd` calls what it is given. */
export function startProcess(
  { command, environment, folder }: ProcessOptions,
  atEnd: (stop: () => Promise<void>) => void = onTestFinished,
): RunningProcess {
  const [program, ...args] = command;
  const child = spawn(program!, args, { cwd: folder, env: { PATH: process.env.PATH, ...environment } });
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
  atEnd(async () => {
    child.kill('SIGKILL');
    await exitCode;
  });
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      output += piece;
      for (const check of waiting) check();
    });
  }
  return {
    pid: child.pid!,
    output: () => output,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = output.match(pattern);
          if (match) resolve(match);
        };
        waiting.add(check);
        check();
        void exitCode.then((code) => reject(new Error(`It ended with ${code} and said:\n${output}`)));
      }),
    stop: () => {
      child.kill('SIGTERM');
      return exitCode;
    },
  };
}

/** Runs a command to its end and returns its exit code. */
export function runToEnd({ command, environment, folder }: ProcessOptions): number | null {
  const [program, ...args] = command;
  return spawnSync(program!, args, { cwd: folder, env: { PATH: process.env.PATH, ...environment } }).status;
}

/** Returns a local port that is currently free, for programs that cannot choose one themselves. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
