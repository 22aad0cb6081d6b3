import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import type { LaunchedCommand } from './plan-launch.ts';

export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals }
  /** It could not be started. `code` is the exit code that shells have for it. */
  | { readonly kind: 'not_started'; readonly code: 126 | 127; readonly message: string };

/** Signals that are passed on. The command has the terminal's own already, like this process. */
const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGUSR2'] as const;
const OF_TERMINAL = ['SIGINT', 'SIGQUIT'] as const;

/**
 * Runs a command as if it were this process: with its terminal, its streams and its signals. The command does
 * not outlive this process, even if this process is killed.
 */
export function runCommand({ words, environment }: LaunchedCommand): Promise<CommandEnd> {
  const [program = '', ...args] = words;
  const child = spawn(program, args, { stdio: 'inherit', env: environment });
  const stopPassing = passSignals(child);
  const release = child.pid === undefined ? () => {} : guard(child.pid);
  return new Promise((resolve) => {
    const settle = (end: CommandEnd) => {
      stopPassing();
      release();
      resolve(end);
    };
    child.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (child.pid === undefined) settle(notStarted(program, code));
    });
    child.once('exit', (code, signal) =>
      settle(signal === null ? { kind: 'exited', code: code! } : { kind: 'killed', signal }),
    );
  });
}

/** Ends this process in the way in which the command has ended. */
export function endLike(end: CommandEnd): void {
  if (end.kind !== 'killed') {
    process.exitCode = end.code;
    return;
  }
  // Should the signal not end this process, the code says the same.
  process.exitCode = 128 + constants.signals[end.signal];
  process.kill(process.pid, end.signal);
}

function notStarted(program: string, code: string | undefined): CommandEnd {
  return code === 'ENOENT'
    ? { kind: 'not_started', code: 127, message: `${program}: command not found` }
    : { kind: 'not_started', code: 126, message: `${program}: cannot be run (${code})` };
}

function passSignals(child: ChildProcess): () => void {
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const listeners = [...PASSED_ON, ...OF_TERMINAL].map((signal) => {
    const isSent = hasTerminal && OF_TERMINAL.includes(signal as never);
    const listener = () => void (isSent || child.kill(signal));
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}

/**
 * Starts a small watcher that ends the command if this process dies unexpectedly: the watcher then reads the
 * end of its input. Returns a function that stops the watcher. Windows has no such shell; there, a command may
 * be left behind.
 */
function guard(processId: number): () => void {
  if (process.platform === 'win32') return () => {};
  const script = 'read -r _ || kill -TERM "$0" || true';
  const watcher = spawn('/bin/sh', ['-c', script, String(processId)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Out of reach of the terminal's signals.
    detached: true,
  });
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
  return () => void watcher.stdin.end('\n');
}
