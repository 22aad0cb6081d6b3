import { createMemoryStore, makeEpoch, type RegistryStore } from '@winnow/registry';
import {
  DEFAULT_SETTINGS as REGISTRY_DEFAULTS,
  type Settings as RegistrySettings,
  type RunningRegistry,
  startRegistry,
} from '@winnow/registry-app';
import { DEFAULT_SETTINGS, type RunningSelector, type Settings, startSelector } from '@winnow/selector';
import { onTestFinished } from 'vitest';

let ids = 0;
const countingId = () => (++ids).toString(16).padStart(8, '0').repeat(8);

/** A store whose content outlives the services that a test starts over it. */
export function memoryStore(): RegistryStore {
  const store = createMemoryStore({ makeEpoch: () => makeEpoch(countingId) });
  return { ...store, openScope: (name) => store.openScope(name), close: async () => {} };
}

/** Starts a registry on a free port, or on one that it had before. */
export async function startTestRegistry(
  settings: Partial<RegistrySettings> = {},
  store: RegistryStore = memoryStore(),
): Promise<RunningRegistry> {
  const registry = await startRegistry(
    { ...REGISTRY_DEFAULTS, sqliteFile: ':memory:', port: 0, drainTimeoutMs: 0, ...settings },
    {
      now: () => performance.now(),
      wallClock: () => Date.now(),
      makeId: () => 'test',
      randomId: countingId,
      writeLog: () => {},
      store,
    },
  );
  onTestFinished(async () => {
    await registry.close();
  });
  return registry;
}

/** Starts a selector that follows a registry, and reconnects without waiting. */
export async function startFollowingSelector(
  registry: string,
  settings: Partial<Settings> = {},
): Promise<RunningSelector & { readonly events: () => readonly Record<string, unknown>[] }> {
  let lines = '';
  const selector = await startSelector(
    { ...DEFAULT_SETTINGS, port: 0, drainTimeoutMs: 0, registry, ...settings },
    {
      now: () => performance.now(),
      wallClock: () => Date.now(),
      makeId: () => 'test',
      writeLog: (text) => {
        lines += text;
      },
      wait: () => new Promise((resolve) => setImmediate(resolve)),
    },
  );
  onTestFinished(async () => {
    await selector.close();
  });
  const events = () =>
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { ...selector, events };
}

/** A registration as a request contains it: the id is `namespace:name`, or a name. */
export function registration(id: string, description = `Handles ${id}.`) {
  const [first, second] = id.split(':');
  const name = second ?? first!;
  return {
    ...(second !== undefined && { namespace: first }),
    tool: { name, description, inputSchema: { type: 'object' } },
    backend: { kind: 'local', handler: id },
  };
}

export interface JsonResponse {
  readonly status: number;
  // Tests compare bodies with literals.
  readonly body: Record<string, unknown>;
}

export async function sendJson(
  method: string,
  url: string,
  body?: unknown,
  token?: string,
): Promise<JsonResponse> {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Registers tools; the response must be a success. */
export async function registerTools(url: string, tools: readonly unknown[], token?: string): Promise<void> {
  const { status, body } = await sendJson('PUT', `${url}/v1/registry/tools`, { tools }, token);
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** Searches a selector by a catalogue id. */
export function searchFor(
  url: string,
  pattern: string,
  rest: Record<string, unknown> = {},
  token?: string,
): Promise<JsonResponse> {
  const body = { pattern, catalog_id: 'registry', include: ['scores', 'metadata'], ...rest };
  return sendJson('POST', `${url}/v1/tool-discovery/search`, body, token);
}

/** Repeats a request until the response is as expected; the test's own timeout ends it otherwise. */
export async function until<Value>(
  ask: () => Promise<Value>,
  isRight: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (isRight(value)) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
