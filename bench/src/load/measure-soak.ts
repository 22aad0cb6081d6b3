import { createClients, type Effort } from './clients.ts';
import { countProxies, type ProxyCounts } from './count-proxies.ts';
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts';
import { readProcess } from './read-process.ts';
import { emptyTally, type Tally } from './tally.ts';
import type { UpstreamCount } from './upstream-process.ts';
import { type ServiceReadings, settleServices } from './watch-services.ts';

/** Duration and size of a run. */
export interface SoakPlan extends FleetOptions {
  /** Number of concurrent conversations. */
  readonly conversations: number;
  /** Fills what fills only once: compiled code, pools, catalogues. */
  readonly warmUp: Effort;
  readonly load: Effort;
}

/** Readings during the load. */
export interface CoursePoint {
  /** Time since the start of the load. */
  readonly seconds: number;
  /**
   * Resident memory of each service by name, in bytes. Reading it does not disturb the services, unlike a
   * garbage collection.
   */
  readonly residentBytes: ReadonlyMap<string, number>;
}

/** All measurements of a soak, over both phases unless stated otherwise. */
export interface SoakMeasurements {
  readonly tally: Tally;
  readonly upstream: UpstreamCount;
  readonly counts: ProxyCounts;
  /** Number of records that the proxies have written. */
  readonly records: number;
  /** Readings of the idle services, before and after the load. */
  readonly before: ServiceReadings;
  readonly after: ServiceReadings;
  readonly course: readonly CoursePoint[];
  /** Processor time of the load alone, in milliseconds. */
  readonly cpuMs: { readonly upstream: number; readonly clients: number };
  readonly loadSeconds: number;
}

/** Receives progress messages. */
export type Report = (line: string) => void;

const COURSE_POINTS = 10;
const SHORTEST_STEP_MS = 2_000;

/**
 * Starts a fleet, lets clients talk through it, and reads its memory and resources before, during and after.
 */
export async function measureSoak(plan: SoakPlan, report: Report): Promise<SoakMeasurements> {
  const fleet = await startFleet(plan);
  try {
    return await loadFleet(fleet, plan, report);
  } finally {
    await fleet.stop();
  }
}

async function loadFleet(fleet: Fleet, plan: SoakPlan, report: Report): Promise<SoakMeasurements> {
  const tally = emptyTally();
  const clients = createClients({ ...plan, nextUrl: inTurn(fleet) });
  const services = [...fleet.selectors, ...fleet.proxies];
  report(`warming up for ${plan.warmUp.seconds} s`);
  await clients.run(plan.warmUp, tally);
  const before = await settleServices(services);

  report(`${plan.conversations} conversations side by side for ${plan.load.seconds} s`);
  const startedAt = performance.now();
  const cpuBefore = { upstream: fleet.upstream.cpuMs() ?? 0, clients: process.cpuUsage() };
  const { points, stop } = watchCourse(fleet, plan.load.seconds, (seconds) =>
    report(`${seconds.toFixed(0)} s, ${tally.good} good answers`),
  );
  await clients.run(plan.load, tally).finally(stop);
  const loadSeconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore.clients);
  const cpuMs = {
    upstream: (fleet.upstream.cpuMs() ?? 0) - cpuBefore.upstream,
    clients: (user + system) / 1_000,
  };

  report('waiting until idle connections are closed');
  const after = await settleServices(services);
  const upstream = await fleet.upstream.ask<UpstreamCount>('count');
  return {
    tally,
    upstream,
    counts: await countProxies(fleet.proxies),
    records: fleet.countRecords(),
    before,
    after,
    course: await points,
    cpuMs,
    loadSeconds,
  };
}

/** Clients have no session affinity: every request goes to the other proxy. */
function inTurn({ proxies }: Fleet): () => string {
  let turn = 0;
  return () => proxies[turn++ % proxies.length]!.process.url;
}

/** Reads the services periodically until stopped. */
function watchCourse(fleet: Fleet, seconds: number, onPoint: (seconds: number) => void) {
  const services = [...fleet.selectors, ...fleet.proxies];
  const { promise: stopped, resolve: stop } = Promise.withResolvers<'stop'>();
  const startedAt = performance.now();
  const stepMs = Math.max(SHORTEST_STEP_MS, (seconds * 1_000) / COURSE_POINTS);
  const watch = async () => {
    const points: CoursePoint[] = [];
    for (;;) {
      const timer = Promise.withResolvers<'go on'>();
      const handle = setTimeout(() => timer.resolve('go on'), stepMs);
      if ((await Promise.race([stopped, timer.promise])) === 'stop') {
        clearTimeout(handle);
        return points;
      }
      const point = {
        seconds: (performance.now() - startedAt) / 1_000,
        residentBytes: new Map(
          services.map(({ name, process }) => [name, readProcess(process.pid).residentBytes ?? 0]),
        ),
      };
      points.push(point);
      onPoint(point.seconds);
    }
  };
  return { points: watch(), stop: () => stop('stop') };
}
