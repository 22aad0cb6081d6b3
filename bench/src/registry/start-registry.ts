import { freePort } from '../free-port.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';
import { RegistryClient } from './registry-client.ts';

const MAIN = new URL('../../../apps/registry/src/main.ts', import.meta.url);
const SLOW_COMMITS = new URL('./slow-commits.ts', import.meta.url);

/** A registry in its own process, started as by a user. */
export interface RunningRegistry extends RunningProcess {
  readonly client: RegistryClient;
  /** Time from spawning it until it reports ready. */
  readonly startMs: number;
}

/** Reading 200,000 tools takes a while. */
const READY_TIMEOUT_MS = 300_000;

/**
 * Starts a registry over a store, and waits until it has read everything in it. With SQLite every commit
 * takes 5 ms longer.
 */
export async function startRegistry(
  settings: Readonly<Record<string, string>>,
  probe = isOnDisk(settings) ? SLOW_COMMITS : undefined,
): Promise<RunningRegistry> {
  const env = { REGISTRY_SERVER_PORT: String(await freePort()), ...settings };
  const startedAt = performance.now();
  const process = await startProcess({
    file: MAIN,
    env,
    readyTimeoutMs: READY_TIMEOUT_MS,
    ...(probe && { probe }),
  });
  const startMs = performance.now() - startedAt;
  const client = new RegistryClient(process.url);
  return {
    ...process,
    client,
    startMs,
    stop() {
      client.close();
      return process.stop();
    },
  };
}

/** Whether a registry keeps its tools in a file. */
function isOnDisk({ REGISTRY_SQLITE_FILE: file = ':memory:' }: Readonly<Record<string, string>>): boolean {
  return file !== ':memory:';
}
