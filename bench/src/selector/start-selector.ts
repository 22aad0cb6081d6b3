import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';
import { SearchClient } from './search-client.ts';

const OWN_ROOT = new URL('../../../', import.meta.url);
const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
const READY_TIMEOUT_MS = 15_000;
const POLL_MS = 50;
/** Number of characters of standard error that suffice to explain an exit. */
const MOST_SAID = 4_000;

/** A selector in its own process, with its default settings. */
export interface RunningSelector {
  readonly origin: string;
  /** Current and peak memory of the process, in bytes; `undefined` if the system does not report it. */
  memory(): { resident: number; peak: number } | undefined;
  stop(): Promise<void>;
}

/**
 * Starts the selector as a user would, on a free port, and waits until it is ready; the selector of another
 * checkout if its root is given.
 */
export function startSelector(root: URL = OWN_ROOT): Promise<RunningSelector> {
  return startProgram(fileURLToPath(new URL('apps/selector/src/main.ts', root)));
}

/** Starts, in the same way, a server that only reads requests. */
export function startBareServer(): Promise<RunningSelector> {
  return startProgram(BARE_SERVER);
}

async function startProgram(program: string): Promise<RunningSelector> {
  const port = await freePort();
  // Without this process's environment: a leftover setting would measure a different selector.
  const child = spawn(process.execPath, [program], {
    env: { SELECTOR_SERVER_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Read for the whole run, or a process with much output would block; shown only if it does not start.
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_SAID);
  });
  const origin = `http://127.0.0.1:${port}`;
  await untilReady(origin, child).catch((error: Error) => {
    child.kill();
    throw new Error(`${error.message}: ${said}`);
  });
  return {
    origin,
    memory: () => readMemory(child.pid),
    async stop() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function untilReady(origin: string, child: ChildProcess): Promise<void> {
  const client = new SearchClient(origin);
  const deadline = performance.now() + READY_TIMEOUT_MS;
  try {
    for (;;) {
      if (child.exitCode !== null)
        throw new Error(`the selector ended with code ${child.exitCode} at its start`);
      const isReady = await client.get('/readyz').then(
        () => true,
        () => false,
      );
      if (isReady) return;
      if (performance.now() > deadline) throw new Error('the selector did not get ready');
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } finally {
    client.close();
  }
}

/** Linux only: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function readMemory(pid: number | undefined): { resident: number; peak: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return { resident: kibibytes(status, 'VmRSS') * 1_024, peak: kibibytes(status, 'VmHWM') * 1_024 };
  } catch {
    return undefined;
  }
}

function kibibytes(status: string, key: string): number {
  return Number(status.match(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm'))?.[1]);
}
