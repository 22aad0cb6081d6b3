import { createMemoryStore, makeEpoch } from '@winnow/registry';
import { onTestFinished } from 'vitest';
import { DEFAULT_SETTINGS, type Settings } from '../src/config.ts';
import { type RegistryEffects, type RunningRegistry, startRegistry } from '../src/server.ts';

/** A registry that a test runs, and what it has logged. */
export interface TestRegistry {
  readonly url: string;
  readonly api: string;
  readonly logs: () => readonly Record<string, unknown>[];
  readonly close: () => Promise<boolean>;
  readonly reload: RunningRegistry['reload'];
  /** Runs every timer of the service once. */
  readonly beat: () => void;
}

/** The moment at which test clocks stand: 21 November 2026, noon in UTC. */
export const NOW = Date.UTC(2026, 10, 21, 12);

let ids = 0;

/** A text of 64 hexadecimal digits, each time another. */
export function countingId(): string {
  return (++ids).toString(16).padStart(8, '0').repeat(8);
}

/** Starts a registry in this process on a free port, in memory unless told otherwise; it is closed when the test ends. */
export async function start(
  settings: Partial<Settings> = {},
  effects: Partial<RegistryEffects> = {},
): Promise<TestRegistry> {
  let lines = '';
  let requests = 0;
  const timers = new Set<() => void>();
  const registry = await startRegistry(
    { ...DEFAULT_SETTINGS, sqliteFile: ':memory:', port: 0, drainTimeoutMs: 100, ...settings },
    {
      now: () => performance.now(),
      wallClock: () => NOW,
      makeId: () => `made-${++requests}`,
      randomId: countingId,
      writeLog: (text) => {
        lines += text;
      },
      every: (_, call) => {
        timers.add(call);
        return () => timers.delete(call);
      },
      ...effects,
    },
  );
  onTestFinished(async () => {
    await registry.close();
  });
  return {
    url: registry.url,
    api: `${registry.url}/v1/registry`,
    logs: () =>
      lines
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    close: registry.close,
    reload: registry.reload,
    beat: () => {
      for (const call of timers) call();
    },
  };
}

/** A store in memory, to be shared by services that run one after the other. */
export function memoryStore() {
  return createMemoryStore({ makeEpoch: () => makeEpoch(countingId) });
}

/** A response with its body read. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  // The tests compare whole bodies with literals; a type would only restate them.
  readonly body: Record<string, unknown>;
}

/** Sends a request, with JSON or a text as it stands, and reads the response. */
export async function ask(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ReadResponse> {
  const isReady = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isReady ? Buffer.from(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : JSON.parse(text),
  };
}

/** A registration as a request has it. */
export function tool(
  name: string,
  { namespace, tags, version, backend, ...mcp }: Record<string, unknown> = {},
) {
  return {
    tool: { name, description: `Handles ${name}.`, inputSchema: { type: 'object' }, ...mcp },
    ...(namespace !== undefined && { namespace }),
    ...(tags !== undefined && { tags }),
    ...(version !== undefined && { version }),
    backend: backend ?? { kind: 'local', handler: name },
  };
}

/** Registers tools; the response must be a success. */
export async function register(
  { api }: Pick<TestRegistry, 'api'>,
  tools: readonly unknown[],
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await ask('PUT', `${api}/tools`, { tools }, headers);
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body;
}
