import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readCpuTime } from './read-cpu-time.ts';
import type { MemoryReport } from './report-memory.ts';

/** What to start. */
export interface ProcessOptions {
  /** A TypeScript file, relative to this folder. It says "listens on URL" on standard error when it is ready. */
  readonly file: string;
  readonly args?: readonly string[];
  /** All of its environment: a setting left over in this process would measure something else. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node. */
  readonly flags?: readonly string[];
}

/** A service in a process of its own. */
export interface RunningProcess {
  /** Where it listens. */
  readonly url: string;
  /** The processor time that it has used so far, in milliseconds; `undefined` where the system does not say. */
  cpuMs(): number | undefined;
  /** What it holds; only of a process that was started with `report-memory.ts`. */
  memory(): Promise<MemoryReport>;
  /** Ends it. A second call does nothing. */
  stop(): Promise<void>;
}

const READY_TIMEOUT_MS = 15_000;

/** Starts a service and waits until it says where it listens. */
export async function startProcess({
  file,
  args = [],
  env = {},
  flags = [],
}: ProcessOptions): Promise<RunningProcess> {
  const child = spawn(process.execPath, [...flags, pathOf(file), ...args], {
    env,
    // Away from where a person may keep settings for the services: they are read from the working directory.
    cwd: pathOf('.'),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // A bench that fails must leave nothing running.
  const kill = () => child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const url = await untilReady(child, file);
  return {
    url,
    cpuMs: () => readCpuTime(child.pid),
    async memory() {
      child.send('memory');
      const [report] = (await once(child, 'message')) as [MemoryReport];
      return report;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** The absolute path of a file that is named relative to this folder. */
export function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

function untilReady(child: ChildProcess, file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (what: string) => {
      child.kill();
      reject(new Error(`${file} ${what}: ${said}`));
    };
    const timer = setTimeout(() => fail('did not get ready'), READY_TIMEOUT_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      fail('ended at its start');
    });
    // Read to the end, or a process that has much to say would wait for its reader.
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-MOST_SAID);
      const url = said.match(/listens on (http:\S+?),?\s/)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

/** Enough of the standard error to explain an end, in characters. */
const MOST_SAID = 4_000;
