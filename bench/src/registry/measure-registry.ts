import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@winnow/testkit';
import { type Keep, withProcesses } from '../with-processes.ts';
import { measureSearches } from './measure-searches.ts';
import { measureStalls } from './measure-stalls.ts';
import type { RegistryPlan } from './plan.ts';
import { batchesOf, type Catalogue, makeCatalogue } from './registrations.ts';
import type { RegistryClient } from './registry-client.ts';
import type { RegistryMeasurements, StoreTimes } from './run.ts';
import { type RunningRegistry, startRegistry } from './start-registry.ts';

const REPORT_DELAY = new URL('../report-delay.ts', import.meta.url);

/** Starts registries over each store of the plan, measures them, and stops them. */
export async function measureRegistry(
  plan: RegistryPlan,
  { report }: { readonly report: (line: string) => void },
): Promise<RegistryMeasurements> {
  const stores: StoreTimes[] = [];
  for (const store of plan.stores) {
    report(`${store}: making the tools`);
    const catalogue = makeCatalogue(store === 'postgres' ? plan.manyTools : plan.tools);
    const measure = { memory: measureMemory, sqlite: measureSqlite, postgres: measurePostgres }[store];
    report(`${store}: ${catalogue.tools.length} tools`);
    stores.push(await withProcesses((keep) => measure(catalogue, plan, keep)));
  }
  report('stalls');
  const stalls = await withProcesses(async (keep) =>
    measureStalls(await keep(startRegistry({ REGISTRY_SQLITE_FILE: ':memory:' }, REPORT_DELAY)), plan.stalls),
  );
  return { stores, stalls };
}

async function measureMemory(catalogue: Catalogue, plan: RegistryPlan, keep: Keep): Promise<StoreTimes> {
  const registry = await keep(startRegistry({ REGISTRY_SQLITE_FILE: ':memory:' }));
  const measured = await measureInstances(catalogue, plan, [registry]);
  return { store: 'memory', ...measured, startMs: [], visibleMs: [] };
}

async function measureSqlite(catalogue: Catalogue, plan: RegistryPlan, keep: Keep): Promise<StoreTimes> {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-bench-registry-'));
  await keep(Promise.resolve({ stop: async () => rmSync(folder, { recursive: true, force: true }) }));
  const settings = { REGISTRY_SQLITE_FILE: join(folder, 'registry.sqlite') };
  const registry = await keep(startRegistry(settings));
  const measured = await measureInstances(catalogue, plan, [registry]);
  await registry.stop();
  const startMs: number[] = [];
  for (let start = 0; start < plan.starts; start++) {
    const again = await keep(startRegistry(settings));
    startMs.push(again.startMs);
    await expectTools(again.client, catalogue.tools.length);
    await again.stop();
  }
  return { store: 'sqlite', ...measured, startMs, visibleMs: [] };
}

async function measurePostgres(catalogue: Catalogue, plan: RegistryPlan, keep: Keep): Promise<StoreTimes> {
  const server = await startPostgres();
  await keep(Promise.resolve({ stop: () => server.close() }));
  const settings = { REGISTRY_POSTGRES_URL: server.url };
  const first = await keep(startRegistry(settings));
  const registerMs = await register(first.client, catalogue);
  // The second registry reads what the first has written: a start from a full store.
  const second = await keep(startRegistry(settings));
  const instances = [first, second];
  const changing = { ...plan, changesPerSecond: plan.manyChangesPerSecond };
  const measured = await measureInstances(catalogue, changing, instances, registerMs);
  const visibleMs: number[] = [];
  for (let round = 0; round < plan.visible; round++) {
    const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first];
    visibleMs.push(await measureVisible(writer, reader, round));
  }
  return { store: 'postgres', ...measured, startMs: [second.startMs], visibleMs };
}

async function measureInstances(
  catalogue: Catalogue,
  { changesPerSecond, seconds }: Pick<RegistryPlan, 'changesPerSecond' | 'seconds'>,
  instances: readonly RunningRegistry[],
  registered?: number,
): Promise<Omit<StoreTimes, 'store' | 'startMs' | 'visibleMs'>> {
  const [first] = instances as [RunningRegistry];
  const registerMs = registered ?? (await register(first.client, catalogue));
  const searched = instances.map(({ client }) => client);
  for (const client of searched) await expectTools(client, catalogue.tools.length);
  const times = await measureSearches(catalogue, {
    searched,
    changedBy: first.client,
    changesPerSecond,
    seconds,
  });
  const { body } = await first.client.stats();
  const peaks = instances.map((instance) => instance.peakBytes()).filter((peak) => peak !== undefined);
  return {
    tools: catalogue.tools.length,
    registerMs,
    ...times,
    peakBytes: peaks.length === 0 ? undefined : Math.max(...peaks),
    indexBytes: Number(body.index_bytes),
  };
}

async function register(client: RegistryClient, { tools }: Catalogue): Promise<number> {
  let ms = 0;
  for (const batch of batchesOf(tools)) ms += (await client.register(batch)).ms;
  return ms;
}

/** Checks the number of tools: a bench of an empty registry would be fast. */
async function expectTools(client: RegistryClient, tools: number): Promise<void> {
  const { body } = await client.stats();
  if (body.tools !== tools) throw new Error(`the registry has ${body.tools} tools, not ${tools}`);
}

async function measureVisible(
  writer: RunningRegistry,
  reader: RunningRegistry,
  round: number,
): Promise<number> {
  // A word that no tool contains.
  const word = `quokka${'abcdefghijklmnopqrstuvwxyz'[round % 26]}${round}`;
  const tool = {
    name: `visible_${round}`,
    description: `Feeds the ${word}.`,
    inputSchema: { type: 'object' },
  };
  await writer.client.register([{ tool, backend: { kind: 'local', handler: 'none' } }]);
  const confirmedAt = performance.now();
  for (;;) {
    const { body } = await reader.client.search(word);
    const [found] = body.tool_references as readonly { readonly id: string }[];
    if (found?.id === tool.name) return performance.now() - confirmedAt;
  }
}
