import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRegistry, type Registry, type RegistryStore } from '@winnow/registry';
import { onTestFinished, vi } from 'vitest';
import { createSdkConnector } from '../src/servers/sdk-connector.ts';
import type { ServersObserver } from '../src/servers/server-connection.ts';
import {
  ENTRY_DEFAULTS,
  type HttpTransport,
  type ServerEntry,
  type StdioTransport,
} from '../src/servers/server-entry.ts';
import { openServers, type ServerAdministration } from '../src/servers/server-set.ts';

/** Servers of a test, with the registry that they fill. */
export interface Kept {
  readonly registry: Registry;
  readonly servers: ServerAdministration;
  readonly observed: Observed;
  /** Ids of all tools. */
  ids(): Promise<readonly string[]>;
  /** Ends every wait of this length at once. */
  expire(ms: number): void;
}

export interface Observed extends ServersObserver {
  readonly refreshes: Parameters<ServersObserver['onRefresh']>[0][];
  readonly output: string[];
}

type EntryParts = Partial<Omit<ServerEntry, 'transport'>>;

export function httpEntry(
  name: string,
  url: string,
  parts: EntryParts = {},
  transport: Partial<HttpTransport> = {},
): ServerEntry {
  return entry(
    name,
    { type: 'http', url, headers: {}, auth: undefined, deniesPrivate: false, ...transport },
    parts,
  );
}

export function stdioEntry(
  name: string,
  args: readonly string[],
  parts: EntryParts = {},
  transport: Partial<StdioTransport> = {},
): ServerEntry {
  return entry(
    name,
    { type: 'stdio', command: process.execPath, args, env: {}, network: {}, cwd: undefined, ...transport },
    parts,
  );
}

function entry(name: string, transport: ServerEntry['transport'], parts: EntryParts): ServerEntry {
  const { tenant, refresh, timeouts, dropAfterMs, maxProcesses } = ENTRY_DEFAULTS;
  return {
    ...{ name, transport, tenant, refresh, timeouts, dropAfterMs },
    ...{
      namespace: name,
      prefix: undefined,
      sharedWith: [],
      isolation: undefined,
      maxProcesses,
      tags: [],
      include: undefined,
      exclude: [],
    },
    ...{ isEnabled: true, trustsAnnotations: false, isPinned: false },
    ...parts,
  };
}

/** Keeps servers by the vendor's client, on the machine's own clock, until the test is over. */
export async function keepServers(entries: readonly ServerEntry[], store?: RegistryStore): Promise<Kept> {
  const observed = observe();
  let kept: ServerAdministration | undefined;
  const registry = await createRegistry({
    clock: { now: () => performance.now(), wallClock: () => Date.now() },
    randomId: () => 'ab'.repeat(32),
    staleSince: (server) => kept?.staleSince(server),
    ...(store && { store }),
  });
  const waits = new Set<{ readonly ms: number; readonly call: () => void }>();
  const after = (ms: number, call: () => void) => {
    const wait = { ms, call };
    const timer = setTimeout(() => {
      if (waits.delete(wait)) call();
    }, ms);
    waits.add(wait);
    return () => {
      clearTimeout(timer);
      waits.delete(wait);
    };
  };
  const servers = await openServers({
    entries,
    registry,
    connector: createSdkConnector({
      clientInfo: { name: 'winnow-test', version: '0' },
      after,
      onServerOutput: (server, line) => observed.output.push(`${server}: ${line}`),
    }),
    now: () => performance.now(),
    wallClock: () => Date.now(),
    random: () => 0.5,
    after,
    pause: () => nextTurn(),
    observer: observed,
    readSource: () => undefined,
    onNoteFailure: () => {},
  });
  kept = servers;
  onTestFinished(async () => {
    await servers.close();
    await registry.close();
  });
  return {
    registry,
    servers,
    observed,
    expire(ms) {
      for (const wait of [...waits]) if (wait.ms === ms && waits.delete(wait)) wait.call();
    },
    async ids() {
      const page = await registry.list({}, { pageSize: 100 });
      return page.ok ? page.rows.map(({ id }) => id) : [];
    },
  };
}

function observe(): Observed {
  const refreshes: Observed['refreshes'] = [];
  return {
    refreshes,
    output: [],
    onRefresh: (refresh) => void refreshes.push(refresh),
    onPending() {},
    onLeftOut() {},
    onRefused() {},
    onLost() {},
  };
}

/** Waits until something holds; fails the test when it never does. */
export async function until(holds: () => boolean): Promise<void> {
  await vi.waitFor(
    () => {
      if (!holds()) throw new Error(`not yet: ${holds}`);
    },
    { timeout: 30_000, interval: 10 },
  );
}

/** Waits until a server is as it is wanted. */
export function untilStatus({ servers }: Kept, name: string, status: string): Promise<void> {
  return until(() => servers.state(name)?.status === status);
}
