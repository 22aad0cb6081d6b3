import { createRandom } from '@winnow/testkit';
import { type ChaosFleet, startChaosFleet } from './chaos-fleet.ts';
import { type Clients, createClients, type Effort } from './clients.ts';
import { countProxies, type ProxyCounts } from './count-proxies.ts';
import type { FleetOptions } from './fleet.ts';
import { type Mischief, makeMischief } from './mischief.ts';
import { type Drains, proxyMischief } from './proxy-mischief.ts';
import { redisMischief } from './redis-mischief.ts';
import { relayMischief } from './relay-mischief.ts';
import { selectorMischief } from './selector-mischief.ts';
import { emptyTally, type Tally } from './tally.ts';
import type { UpstreamCount } from './upstream-process.ts';
import { type ServiceReadings, settleServices } from './watch-services.ts';

/** Duration and size of a run. */
export interface ChaosPlan extends FleetOptions {
  /** Number of concurrent conversations. */
  readonly conversations: number;
  /** Before the failures. */
  readonly calm: Effort;
  /** During the failures. */
  readonly chaos: Effort;
  /** After the failures, while the services retry what they gave up. */
  readonly healing: Effort;
  /** At the end, when everything must work as before. */
  readonly peace: Effort;
}

/** The parts of a chaos run, in order. */
export const PHASES = ['calm', 'chaos', 'healing', 'peace'] as const;

/** One of {@link PHASES}. */
export type Phase = (typeof PHASES)[number];

/** Results of one part. */
export interface PhaseResult {
  readonly tally: Tally;
  readonly upstream: UpstreamCount;
}

/** All measurements of a chaos run. */
export interface ChaosMeasurements {
  readonly phases: Readonly<Record<Phase, PhaseResult>>;
  /** The proxies' counts during calm and peace only; in between, proxies are replaced and start from zero. */
  readonly calmCounts: ProxyCounts;
  readonly peaceCounts: ProxyCounts;
  /** Number of times that each failure was caused. */
  readonly mischief: ReadonlyMap<string, number>;
  readonly drains: Drains;
  readonly before: ServiceReadings;
  readonly after: ServiceReadings;
}

/** Receives progress messages. */
export type Report = (line: string) => void;

/**
 * Starts a fleet, lets clients talk through it while all kinds of failures happen, and measures whether it
 * recovers.
 */
export async function measureChaos(plan: ChaosPlan, report: Report): Promise<ChaosMeasurements> {
  const fleet = await startChaosFleet(plan);
  try {
    return await troubleFleet(fleet, plan, report);
  } finally {
    await fleet.stop();
  }
}

async function troubleFleet(fleet: ChaosFleet, plan: ChaosPlan, report: Report): Promise<ChaosMeasurements> {
  const clients = createClients({ ...plan, nextUrl: () => fleet.balancer.url });
  const services = [...fleet.selectors, ...fleet.proxies];
  const run = (phase: Phase) => runPhase(phase, { fleet, plan, clients, report });
  const drains: Drains = { bad: [] };

  const calm = await run('calm');
  const calmCounts = await countProxies(fleet.proxies);
  const before = await settleServices(services);
  const trouble = startMischief(fleet, plan, { report, drains });
  const chaos = await run('chaos').finally(trouble.stop);
  const mischief = await trouble.counts;
  const healing = await run('healing');
  const countsBefore = await countProxies(fleet.proxies);
  const peace = await run('peace');
  const peaceCounts = subtractCounts(await countProxies(fleet.proxies), countsBefore);
  const after = await settleServices(services);
  const phases = { calm, chaos, healing, peace };
  return { phases, calmCounts, peaceCounts, mischief, drains, before, after };
}

interface PhaseContext {
  readonly fleet: ChaosFleet;
  readonly plan: ChaosPlan;
  readonly clients: Clients;
  readonly report: Report;
}

async function runPhase(phase: Phase, { fleet, plan, clients, report }: PhaseContext): Promise<PhaseResult> {
  report(`${phase}: ${plan.conversations} conversations side by side for ${plan[phase].seconds} s`);
  const tally = emptyTally();
  const first = await fleet.upstream.ask<UpstreamCount>('count');
  await clients.run(plan[phase], tally);
  const last = await fleet.upstream.ask<UpstreamCount>('count');
  return { tally, upstream: subtractUpstream(last, first) };
}

/** Runs three kinds of failures in parallel, each from a list that the seed shuffles. */
function startMischief(
  { selectors, selectorRelay, redis, redisRelay, proxies }: ChaosFleet,
  { seed, haste, chaos }: ChaosPlan,
  { report, drains }: { report: Report; drains: Drains },
) {
  const random = createRandom(seed);
  const startedAt = performance.now();
  const over = Promise.withResolvers<void>();
  let isOver = false;
  const stop = () => {
    isOver = true;
    over.resolve();
  };
  const timer = setTimeout(stop, chaos.seconds * 1_000);
  const wait = (ms: number) =>
    Promise.race([over.promise, new Promise<void>((go) => setTimeout(go, ms / haste))]);
  const lists: Mischief[][] = [
    [...selectorMischief(selectors), ...relayMischief('selectors', selectorRelay, SELECTOR_SLOW_MS, random)],
    [...redisMischief(redis), ...relayMischief('Redis', redisRelay, REDIS_SLOW_MS, random)],
    proxyMischief(proxies, drains),
  ];
  const make = (list: readonly Mischief[], position: number) =>
    makeMischief(list, {
      random: createRandom(seed + position),
      isOver: () => isOver,
      wait,
      report: (line) => report(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s: ${line}`),
    });
  const counts = Promise.all(lists.map(make)).then((all) => {
    clearTimeout(timer);
    return new Map(all.flatMap((some) => [...some]));
  });
  return { counts, stop };
}

/** Delay in each direction: a search takes longer than usual, but less than its deadline. */
const SELECTOR_SLOW_MS = 300;
/** Delay beyond the deadline of a command. */
const REDIS_SLOW_MS = 80;

function subtractUpstream(last: UpstreamCount, first: UpstreamCount): UpstreamCount {
  return {
    requests: last.requests - first.requests,
    complaints: last.complaints - first.complaints,
    thinkingComplaints: last.thinkingComplaints - first.thinkingComplaints,
    examples: last.examples.slice(first.examples.length),
  };
}

function subtractCounts(last: ProxyCounts, first: ProxyCounts): ProxyCounts {
  const searches = [...last.searches].map(([outcome, count]): [string, number] => [
    outcome,
    count - (first.searches.get(outcome) ?? 0),
  ]);
  return {
    exchanges: last.exchanges - first.exchanges,
    open: last.open,
    sessionErrors: last.sessionErrors - first.sessionErrors,
    fallbacks: last.fallbacks - first.fallbacks,
    droppedRecords: last.droppedRecords - first.droppedRecords,
    searches: new Map(searches),
  };
}
