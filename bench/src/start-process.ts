import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readCpuTime, readPeakMemory } from './read-process-tree.ts';

/** The process to start. */
export interface ProcessOptions {
  /** A TypeScript file. It prints "listens on URL" to standard error when it is ready. */
  readonly file: URL;
  readonly args?: readonly string[];
  /** Its whole environment: a setting inherited from this process would change the measurement. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node. */
  readonly flags?: readonly string[];
  /** A file to load before the service's own code, such as one that answers questions. */
  readonly probe?: URL;
  /** Timeout for becoming ready; default: one minute. */
  readonly readyTimeoutMs?: number;
  /** Receives each line of its standard output, which is otherwise discarded. */
  readonly onLine?: (line: string) => void;
}

/** A service in its own process. */
export interface RunningProcess {
  /** Its address. */
  readonly url: string;
  readonly pid: number;
  /**
   * Processor time that it and its descendants have used so far, in milliseconds; `undefined` if the system
   * does not report it.
   */
  cpuMs(): number | undefined;
  /**
   * Peak resident memory of it and its descendants, in bytes; `undefined` if the system does not report it.
   */
  peakBytes(): number | undefined;
  /** Asks a question of a process that calls `answerQuestions`, one at a time. Rejects on a timeout. */
  ask<Answer>(question: string): Promise<Answer>;
  /** The end of its standard error output. */
  said(): string;
  /** Sends it a signal, such as `SIGSTOP`. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has ended, with its exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Ends it. Later calls do nothing. */
  stop(): Promise<void>;
}

/** The folder of compiled modules, which tests set for the processes that they start. */
const { NODE_COMPILE_CACHE } = process.env;

const READY_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** Longer than services drain. */
const STOP_TIMEOUT_MS = 45_000;

/** Starts a service and waits until it prints its address. */
export async function startProcess({
  file,
  args = [],
  env = {},
  flags = [],
  probe,
  readyTimeoutMs = READY_TIMEOUT_MS,
  onLine,
}: ProcessOptions): Promise<RunningProcess> {
  const probing = probe ? ['--import', probe.href] : [];
  const child = spawn(process.execPath, [...flags, ...probing, fileURLToPath(file), ...args], {
    env: { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env },
    // Away from folders with a user's settings: services read them from the working directory.
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', onLine ? 'pipe' : 'ignore', 'pipe', 'ipc'],
  });
  if (onLine) createInterface(child.stdout!).on('line', onLine);
  // A failing bench must leave nothing running.
  const kill = () => child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const recent = keepRecent(child);
  const url = await untilReady(child, file.pathname, recent, readyTimeoutMs);
  return {
    url,
    pid: child.pid!,
    ended,
    said: () => recent.text,
    cpuMs: () => readCpuTime(child.pid!),
    peakBytes: () => readPeakMemory(child.pid!),
    async ask<Answer>(question: string) {
      child.send(question);
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      for (;;) {
        const [message] = (await once(child, 'message', { signal }).catch(() => {
          throw new Error(`${file.pathname} does not answer`);
        })) as [{ question: string; answer: Answer }];
        if (message.question === question) return message.answer;
      }
    },
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(impatience);
    },
  };
}

/**
 * Returns the end of a process's standard error output. Reads for the whole run, or a process with much
 * output would block.
 */
function keepRecent(child: ChildProcess): { text: string } {
  const recent = { text: '' };
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    recent.text = (recent.text + text).slice(-MOST_SAID);
  });
  return recent;
}

function untilReady(
  child: ChildProcess,
  file: string,
  recent: { readonly text: string },
  timeoutMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => {
      child.kill();
      reject(new Error(`${file} ${what}: ${recent.text}`));
    };
    const timer = setTimeout(() => fail('did not get ready'), timeoutMs);
    child.once('exit', () => {
      clearTimeout(timer);
      fail('ended at its start');
    });
    child.stderr!.on('data', () => {
      const url = recent.text.match(/listens on (http:\S+?),?\s/)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

/** Number of characters of standard error that suffice to explain an exit. */
const MOST_SAID = 4_000;
