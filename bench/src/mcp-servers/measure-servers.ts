import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MCP_PROCESS, type McpMood } from '@winnow/testkit';
import { type RunningProcess, startProcess } from '../start-process.ts';
import { summarizeTimes, type TimeSummary } from '../summarize-times.ts';

export interface ServersPlan {
  /** Length of each phase. */
  readonly seconds: number;
  /** Number of rounds of calm and trouble. */
  readonly rounds: number;
  readonly servers: number;
  readonly tools: number;
}

export interface ServerRow {
  readonly name: string;
  readonly state: string;
  readonly tools: number;
  readonly last_error?: { readonly code: string };
  readonly stale_since?: string;
}

export interface ServersMeasurement {
  /** Duration of searches while all servers work, and while three misbehave; in milliseconds. */
  readonly calm: TimeSummary;
  readonly trouble: TimeSummary;
  readonly failedSearches: number;
  /** Time from the start until all servers were read, in milliseconds. */
  readonly readyMs: number;
  /** Resident memory of the registry after the first round and at the end, in bytes. */
  readonly memory: { readonly early: number; readonly late: number };
  readonly states: readonly ServerRow[];
  readonly toolCount: number;
  /** Number of server processes left after the registry ended, and after it was killed. */
  readonly left: { readonly ended: number; readonly killed: number };
}

const MAIN = new URL('../../../apps/registry/src/main.ts', import.meta.url);
const FLEET = new URL('./fleet.ts', import.meta.url);

/** Moods of the lying server, one after another. */
const LIES: readonly McpMood[] = [
  'endless_pages',
  'repeated_cursor',
  'huge_description',
  'empty',
  'huge_list',
  'garbage',
  'floods',
];
const TURN_MS = 1_500;
const QUERIES = [
  'create an invoice',
  'find a customer',
  'archive_report',
  'export deployments',
  'merge branch',
  'ticket of a team',
];
const CLIENTS = 4;
/** Pause between two searches of a client: a constantly busy registry would only measure the machine. */
const PAUSE_MS = 5;

/** Positions of the servers that misbehave. */
const TROUBLED = { hanging: 0, flapping: 1, lying: 2 } as const;

/** Fills a registry from many servers, and measures searches while some of them misbehave. */
export async function measureServers(
  plan: ServersPlan,
  report: (line: string) => void,
): Promise<ServersMeasurement> {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-mcp-'));
  const mark = `bench-${process.pid}`;
  let urls: readonly string[] = [];
  const fleet = await startProcess({
    file: FLEET,
    args: [String(plan.servers), String(Math.floor(plan.tools / plan.servers))],
    env: environment(),
    onLine: (line) => {
      urls = JSON.parse(line);
    },
  });
  const config = join(folder, 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: serversOf(urls, mark) }));
  try {
    const registry = await startRegistryWith(config);
    const begun = performance.now();
    await untilRead(registry, plan.servers);
    const readyMs = performance.now() - begun;
    report(`${plan.servers} servers are read after ${Math.round(readyMs)} ms`);
    const times: { calm: number[]; trouble: number[] } = { calm: [], trouble: [] };
    let [failedSearches, early] = [0, 0];
    let states: readonly ServerRow[] = [];
    for (let round = 1; round <= plan.rounds; round++) {
      for (const phase of ['calm', 'trouble'] as const) {
        const stop = phase === 'calm' ? async () => {} : misbehave(fleet.url);
        failedSearches += await search(registry.url, plan.seconds, times[phase]);
        if (phase === 'trouble') states = await readStates(registry.url);
        await stop();
        report(`round ${round}, ${phase}: p99 ${summarizeTimes(times[phase]).p99.toFixed(1)} ms`);
      }
      if (round === 1) early = residentBytes(registry.pid);
    }
    const late = residentBytes(registry.pid);
    const { tools: toolCount } = (await ask(registry.url, '/stats')) as { tools: number };
    await registry.stop();
    const ended = countMarked(mark);
    return {
      calm: summarizeTimes(times.calm),
      trouble: summarizeTimes(times.trouble),
      failedSearches,
      readyMs,
      memory: { early, late },
      states,
      toolCount,
      left: { ended, killed: await leftWhenKilled(config, plan.servers, mark) },
    };
  } finally {
    await fleet.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Every list is refreshed each second or two, so that a short run covers the refreshes of an hour. */
function serversOf(urls: readonly string[], mark: string): Record<string, object> {
  const often = { refresh: { min: '1s', max: '2s' }, timeouts: { connect: '5s', list: '2s', call: '2s' } };
  const behind = urls.map((url, n) => [`team-${String(n).padStart(2, '0')}`, { url, ...often }] as const);
  const process_ = (script: object) => ({
    command: process.execPath,
    args: [MCP_PROCESS, JSON.stringify({ ...script, says: mark })],
    ...often,
  });
  return {
    ...Object.fromEntries(behind),
    'process-well': process_({}),
    'process-stubborn': process_({ isStubborn: true, isStarter: true }),
    'process-flapping': process_({ listsBeforeEnd: 2 }),
    'process-hanging': process_({ mood: 'hangs', isStubborn: true }),
  };
}

function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...more };
}

function startRegistryWith(config: string): Promise<RunningProcess> {
  return startProcess({
    file: MAIN,
    args: ['--config', config],
    env: environment({ REGISTRY_SERVER_PORT: '0', REGISTRY_SQLITE_FILE: ':memory:' }),
  });
}

async function untilRead({ url }: RunningProcess, count: number): Promise<void> {
  for (;;) {
    const states = await readStates(url);
    if (states.filter(({ name, state }) => name.startsWith('team-') && state === 'up').length === count)
      return;
    await delay(100);
  }
}

async function readStates(url: string): Promise<readonly ServerRow[]> {
  return ((await ask(url, '/servers')) as { servers: ServerRow[] }).servers;
}

async function ask(url: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}/v1/registry${path}`, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

/** Lets three servers misbehave until stopped; then restores them and gives them time to recover. */
function misbehave(control: string): () => Promise<void> {
  const become = (server: number, mood: McpMood) =>
    fetch(`${control}/?server=${server}&mood=${mood}`, { method: 'POST' });
  let isOver = false;
  const running = (async () => {
    await become(TROUBLED.hanging, 'hangs');
    for (let turn = 0; !isOver; turn++) {
      await become(TROUBLED.flapping, turn % 2 === 0 ? 'dies' : 'well');
      await become(TROUBLED.lying, LIES[turn % LIES.length]!);
      await delay(TURN_MS);
    }
  })();
  return async () => {
    isOver = true;
    await running;
    for (const server of Object.values(TROUBLED)) await become(server, 'well');
  };
}

/** Searches for a time; returns the number of failed searches. */
async function search(url: string, seconds: number, times: number[]): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let failed = 0;
  const client = async (first: number) => {
    for (let turn = first; performance.now() < end; turn++) {
      const begun = performance.now();
      // Each query is different, so that no response comes from a cache.
      const query = `${QUERIES[turn % QUERIES.length]} ${turn}`;
      await ask(url, '/search', { query }).catch(() => failed++);
      times.push(performance.now() - begun);
      await delay(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n * 1_000)));
  return failed;
}

function residentBytes(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1_024;
}

/** Kills a registry without warning, and counts the processes of its servers seconds later. */
async function leftWhenKilled(config: string, servers: number, mark: string): Promise<number> {
  const registry = await startRegistryWith(config);
  await untilRead(registry, servers);
  registry.signal('SIGKILL');
  await registry.ended;
  for (let tries = 0; tries < 50 && countMarked(mark) > 0; tries++) await delay(100);
  return countMarked(mark);
}

function countMarked(mark: string): number {
  const listing = execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' });
  return listing
    .split('\n')
    .filter((line) => line.includes('mcp-process.ts') && line.includes(mark) && !line.startsWith('Z')).length;
}
