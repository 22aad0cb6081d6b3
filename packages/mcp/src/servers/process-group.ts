import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** Time that a process has to end by itself, in milliseconds. */
const KILL_AFTER_MS = 5_000;

/** Groups that are alive, for the end of this process. */
const alive = new Set<number>();

/**
 * A shell that reads `+GROUP` and `-GROUP`, and ends these groups when its input ends, however this process has
 * ended. The command of a server is often a launcher, such as `npx`, which outlives the end of its input.
 */
const REAPER = `
alive=" "
while read -r line; do
  group="\${line#?}"
  case "$line" in
    +*) alive="$alive$group " ;;
    -*) rest="\${alive#* $group }"; [ "$rest" = "$alive" ] || alive="\${alive%% $group *} $rest" ;;
  esac
done
for group in $alive; do kill -TERM "-$group" 2>/dev/null; done
[ "$alive" = " " ] || sleep 1
for group in $alive; do kill -KILL "-$group" 2>/dev/null; done
`;

let reaper: ChildProcess | undefined;

/** A process with its descendants: a separate group, which ends as a whole, with this process at the latest. */
export interface ProcessGroup {
  readonly child: ChildProcess;
  /**
   * Ends the whole group: its input and TERM, then KILL for the rest after `KILL_AFTER_MS`. Call it even if the
   * process has ended by itself, for the processes that it started. Resolves when no process is left.
   */
  end(after: After): Promise<void>;
}

/** Calls a function once, after a number of milliseconds, unless the returned function is called earlier. */
export type After = (ms: number, call: () => void) => () => void;

/** Interval of checks whether a group has ended, in milliseconds. */
const LOOK_MS = 50;

/** Starts a process with pipes, in a separate group. If it cannot be started, its `error` event has the reason. */
export function startProcessGroup({ command, args, env, cwd }: ProcessOptions): ProcessGroup {
  const child = spawn(command, args, { env, cwd, stdio: 'pipe', detached: true, windowsHide: true });
  const { pid } = child;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  if (pid !== undefined) watch(pid);
  let ending: Promise<void> | undefined;
  const end = async (after: After) => {
    child.stdin?.end();
    if (pid === undefined) return;
    signalGroup(pid, 'SIGTERM');
    let isLate = false;
    const cancel = after(KILL_AFTER_MS, () => {
      isLate = true;
      signalGroup(pid, 'SIGKILL');
    });
    await ended;
    while (!isLate && signalGroup(pid, 0)) await new Promise<void>((resolve) => after(LOOK_MS, resolve));
    cancel();
    await forget(pid);
  };
  return {
    child,
    end(after) {
      ending ??= end(after);
      return ending;
    },
  };
}

function watch(group: number): void {
  if (alive.size === 0) process.on('exit', killAll);
  alive.add(group);
  reaper ??= startReaper();
  reaper?.stdin?.write(`+${group}\n`);
}

/** The last one waits for the reaper, so that nothing of ours is left. */
async function forget(group: number): Promise<void> {
  alive.delete(group);
  reaper?.stdin?.write(`-${group}\n`);
  if (alive.size > 0) return;
  process.off('exit', killAll);
  const idle = reaper;
  reaper = undefined;
  if (idle === undefined || idle.exitCode !== null || idle.signalCode !== null) return;
  const gone = once(idle, 'exit').catch(() => {});
  idle.ref();
  idle.stdin?.end();
  await gone;
}

function killAll(): void {
  for (const group of alive) signalGroup(group, 'SIGKILL');
}

/** Whether a process is left to receive the signal; 0 only checks. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

/** Undefined if there is no such shell: then servers only see the end of their input. */
function startReaper(): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  // In a separate group, so that a signal to our group does not end it first.
  const shell = spawn('/bin/sh', ['-c', REAPER], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
  });
  shell.on('error', () => {
    if (reaper === shell) reaper = undefined;
  });
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?: () => void }).unref?.();
  return shell;
}

/**
 * Cuts chunks of bytes into lines of text. A line that is longer than it may be is given as undefined, once, and the rest of it is passed over.
 */
export class LineReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isPassing = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(chunk: Buffer): Generator<string | undefined> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      if (!this.#isPassing) {
        this.#chunks.push(part);
        this.#bytes += part.length;
        if (this.#bytes > this.#maxBytes) {
          yield undefined;
          this.#clear();
          this.#isPassing = true;
        }
      }
      if (end < 0) return;
      if (!this.#isPassing) yield this.#take();
      this.#isPassing = false;
      start = end + 1;
    }
  }

  /** Returns the text after the last line. */
  rest(): string {
    return this.#take();
  }

  #take(): string {
    const line = Buffer.concat(this.#chunks).toString('utf8').replace(/\r$/, '');
    this.#clear();
    return line;
  }

  #clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }
}
