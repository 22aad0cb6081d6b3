import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** A program that runs as a process of this machine. */
export interface RunningProcess {
  readonly pid: number;
  /** Its output so far, on both streams. */
  readonly output: () => string;
  /** Resolves with the match as soon as its output has one, and rejects if it ends first. */
  readonly says: (pattern: RegExp) => Promise<RegExpMatchArray>;
  readonly kill: () => Promise<void>;
  /** Stops it as Docker does, and returns its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** A command with its arguments and its environment, which is otherwise empty apart from PATH. */
export interface ProcessOptions {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** Starts a program. */
export function runProcess({ command, environment, folder }: ProcessOptions): RunningProcess {
  const [program, ...args] = command;
  const child = spawn(program!, args, { cwd: folder, env: { PATH: process.env.PATH, ...environment } });
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
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
    kill: async () => {
      child.kill('SIGKILL');
      await exitCode;
    },
    stop: () => {
      child.kill('SIGTERM');
      return exitCode;
    },
  };
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
