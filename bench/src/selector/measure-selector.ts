import { MEASURED_RANKERS } from '../rankers.ts';
import { CatalogueSource } from './catalogue.ts';
import { type LoadTimes, measureColdLoad, measureReceivingLoad, measureWarmLoad } from './measure-load.ts';
import { measureRankers, type RankerTimes } from './measure-rankers.ts';
import { measureRequests, type RequestTimes } from './measure-requests.ts';
import { measureStall } from './measure-stall.ts';
import type { MeasurePlan } from './plan.ts';
import type { SelectorMeasurements } from './run.ts';
import { SearchClient } from './search-client.ts';
import { startBareServer, startSelector } from './start-selector.ts';

/** Fixed, so that every run measures the same catalogues. */
const FIRST_SEED = 1;

/** Starts a selector, measures it and the rankers by the plan, and stops it. `report` hears what is being measured. */
export async function measureSelector(
  plan: MeasurePlan,
  report: (line: string) => void,
): Promise<SelectorMeasurements> {
  const source = new CatalogueSource(FIRST_SEED);
  const selector = await startSelector();
  const client = new SearchClient(selector.origin);
  try {
    const requests = await measureAllRequests(client, source, plan, report);
    report(`stall: ${plan.stall.tools} tools`);
    const stall = await measureStall(client, source, plan.stall.tools, plan.stall.rounds);
    const load = await measureLoad(client, source, plan, report);
    const selectorMemory = selector.memory();
    client.close();
    await selector.stop();
    const receiving = await measureReceiving(source, plan, report);
    // After the selector is gone: these need both cores' attention for nobody else.
    const rankers = await measureAllRankers(source, plan, report);
    return { requests, rankers, load, receiving, stall, selectorMemory };
  } finally {
    client.close();
    await selector.stop();
  }
}

async function measureAllRequests(
  client: SearchClient,
  source: CatalogueSource,
  { sizes, effort }: MeasurePlan,
  report: (line: string) => void,
): Promise<RequestTimes[]> {
  const all: RequestTimes[] = [];
  for (const size of sizes) {
    report(`requests: ${size} tools`);
    all.push(await measureRequests(client, source, size, effort));
  }
  return all;
}

async function measureLoad(
  client: SearchClient,
  source: CatalogueSource,
  { load }: MeasurePlan,
  report: (line: string) => void,
): Promise<LoadTimes[]> {
  report(`load: ${load.coldTools} tools cold, ${load.warmTools} warm`);
  const cold = await measureColdLoad(client, source, load.coldTools, load.coldRequests);
  return [cold, ...(await measureWarmLoad(client, source, load.warmTools, load.warmRequests))];
}

async function measureReceiving(
  source: CatalogueSource,
  { load }: MeasurePlan,
  report: (line: string) => void,
): Promise<LoadTimes> {
  report(`load: ${load.warmTools} tools, only received`);
  const server = await startBareServer();
  const client = new SearchClient(server.origin);
  try {
    return await measureReceivingLoad(client, source, load.warmTools, load.warmRequests);
  } finally {
    client.close();
    await server.stop();
  }
}

async function measureAllRankers(
  source: CatalogueSource,
  { rankerSizes, effort }: MeasurePlan,
  report: (line: string) => void,
): Promise<RankerTimes[]> {
  const all: RankerTimes[] = [];
  for (const size of rankerSizes) {
    report(`rankers: ${size} tools`);
    all.push(...(await measureRankers(MEASURED_RANKERS, source, size, effort)));
  }
  return all;
}
