import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** A program that runs as a process of this machine. */
export interface RunningProcess {
  readonly pid: number;
  /** Everything that it has said so far, on both streams. */
  readonly output: () => string;
  /** Resolves with the match as soon as its output has one, and rejects when it ends before. */
  readonly says: (pattern: RegExp) => Promise<RegExpMatchArray>;
  /** Asks it to stop as Docker does, and gives its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** A command with its arguments, and the environment that is all it gets beside PATH. */
export interface ProcessOptions {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** Starts a program; it is killed when the test ends. */
export function startProcess({ command, environment, folder }: ProcessOptions): RunningProcess {
  const [program, ...args] = command;
  const child = spawn(program!, args, { cwd: folder, env: { PATH: process.env.PATH, ...environment } });
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
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

/** Runs a command to its end and gives its exit code. */
export function runToEnd({ command, environment, folder }: ProcessOptions): number | null {
  const [program, ...args] = command;
  return spawnSync(program!, args, { cwd: folder, env: { PATH: process.env.PATH, ...environment } }).status;
}

/** A port that nobody listens on at this moment, for programs that cannot choose one themselves. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
