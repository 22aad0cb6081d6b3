import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readCpuTime, readPeakMemory } from './read-process-tree.ts';

/** What to start. */
export interface ProcessOptions {
  /** A TypeScript file. It says "listens on URL" on standard error when it is ready. */
  readonly file: URL;
  readonly args?: readonly string[];
  /** All of its environment: a setting left over in this process would measure something else. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node. */
  readonly flags?: readonly string[];
  /** A file that is loaded before the service's own code, such as one that answers questions. */
  readonly probe?: URL;
  /** How long it may take to get ready; a minute when it is missing. */
  readonly readyTimeoutMs?: number;
  /** Told of each line of its standard output, which is thrown away otherwise. */
  readonly onLine?: (line: string) => void;
}

/** A service in a process of its own. */
export interface RunningProcess {
  /** Where it listens. */
  readonly url: string;
  readonly pid: number;
  /** The processor time that it and its descendants have used so far, in milliseconds; `undefined` where the system does not say. */
  cpuMs(): number | undefined;
  /** The most resident memory that it and its descendants have had so far, in bytes; `undefined` where the system does not say. */
  peakBytes(): number | undefined;
  /** Its answer to a question; only of a process that calls `answerQuestions`. One question at a time. Rejects when it takes too long. */
  ask<Answer>(question: string): Promise<Answer>;
  /** The end of what it has written to standard error. */
  said(): string;
  /** Sends it a signal, such as `SIGSTOP`. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has ended, with its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Ends it. A second call does nothing. */
  stop(): Promise<void>;
}

/** Where compiled modules are kept, which tests set, for the processes that they start. */
const { NODE_COMPILE_CACHE } = process.env;

const READY_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** Longer than services drain. */
const STOP_TIMEOUT_MS = 45_000;

/** Starts a service and waits until it says where it listens. */
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
    // Away from where a person may keep settings for the services: they are read from the working directory.
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', onLine ? 'pipe' : 'ignore', 'pipe', 'ipc'],
  });
  if (onLine) createInterface(child.stdout!).on('line', onLine);
  // A bench that fails must leave nothing running.
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

/** The end of what a process writes to standard error. Read as long as it runs, or a process that has much to say would wait for its reader. */
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

/** Enough of the standard error to explain an end, in characters. */
const MOST_SAID = 4_000;
