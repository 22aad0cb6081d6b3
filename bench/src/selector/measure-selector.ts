import type { Checkout } from '../checkout.ts';
import { MEASURED_RANKERS } from '../rankers.ts';
import { withProcesses } from '../with-processes.ts';
import { CatalogueSource } from './catalogue.ts';
import { type LoadTimes, measureColdLoad, measureReceivingLoad, measureWarmLoad } from './measure-load.ts';
import { measureRankers, type RankerTimes } from './measure-rankers.ts';
import { measureRequests, type RequestTimes } from './measure-requests.ts';
import { measureStall } from './measure-stall.ts';
import type { MeasurePlan } from './plan.ts';
import type { SelectorMeasurements } from './run.ts';
import { type MeasuredSelector, SearchClient } from './search-client.ts';
import { type RunningSelector, startBareServer, startSelector } from './start-selector.ts';

/** Fixed, so that every run measures the same catalogues. */
const FIRST_SEED = 1;

/** Options of a run, in addition to its plan. */
export interface SelectorRunOptions {
  /** Another checkout, whose selector gets the same requests in turn. */
  readonly baseline?: Checkout | undefined;
  /** Receives progress messages. */
  readonly report: (line: string) => void;
}

/** Starts a selector, measures it and the rankers by the plan, and stops it. */
export async function measureSelector(
  plan: MeasurePlan,
  { baseline, report }: SelectorRunOptions,
): Promise<SelectorMeasurements> {
  const source = new CatalogueSource(FIRST_SEED);
  const overHttp = await withProcesses(async (keep) => {
    const selector = await keep(startSelector());
    const own: MeasuredSelector = { name: 'winnow', client: clientOf(selector) };
    const other = baseline && (await keep(startSelector(baseline.directory)));
    const selectors = other ? [own, { name: 'baseline' as const, client: clientOf(other) }] : [own];
    try {
      const requests = await measureAllRequests(selectors, source, plan, report);
      report(`stall: ${plan.stall.tools} tools`);
      const stall = await measureStall(own.client, source, plan.stall.tools, plan.stall.rounds);
      const load = await measureLoad(selectors, source, plan, report);
      return { requests, stall, load, selectorMemory: selector.memory() };
    } finally {
      for (const { client } of selectors) client.close();
    }
  });
  // After the selectors have stopped: the rankers need both cores for themselves.
  const receiving = await measureReceiving(source, plan, report);
  const rankers = await measureAllRankers(source, plan, report);
  return { ...overHttp, receiving, rankers };
}

function clientOf({ origin }: RunningSelector): SearchClient {
  return new SearchClient(origin);
}

async function measureAllRequests(
  selectors: readonly MeasuredSelector[],
  source: CatalogueSource,
  { sizes, effort }: MeasurePlan,
  report: (line: string) => void,
): Promise<RequestTimes[]> {
  const all: RequestTimes[] = [];
  for (const size of sizes) {
    report(`requests: ${size} tools`);
    all.push(await measureRequests(selectors, source, size, effort));
  }
  return all;
}

async function measureLoad(
  selectors: readonly MeasuredSelector[],
  source: CatalogueSource,
  { load }: MeasurePlan,
  report: (line: string) => void,
): Promise<LoadTimes[]> {
  report(`load: ${load.coldTools} tools cold, ${load.warmTools} warm`);
  const cold = await measureColdLoad(selectors, source, load.coldTools, load.coldRequests);
  const [own] = selectors as [MeasuredSelector];
  return [...cold, ...(await measureWarmLoad(own.client, source, load.warmTools, load.warmRequests))];
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
