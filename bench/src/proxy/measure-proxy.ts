import { startRedis } from '@winnow/testkit';
import { startSelector } from '../selector/start-selector.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';
import { type Stoppable, withProcesses } from '../with-processes.ts';
import { type Bench, type RunOptions, startUndiciPipe } from './bench.ts';
import { type ForwardingWay, LOADS, optionsOfWay, TOOLS_LOAD } from './forwarding-ways.ts';
import { type LoopDelay, measureDelays, type ReportingProxy } from './measure-delays.ts';
import { measureInProcess } from './measure-in-process.ts';
import { measureLatency } from './measure-latency.ts';
import { measureLoadModes } from './measure-load-modes.ts';
import { measureFirstContent, measureLoads } from './measure-loads.ts';
import { type MemoryCourse, measureMemory } from './measure-memory.ts';
import { measurePair } from './measure-pairs.ts';
import { measurePeak, type PeakMemory } from './measure-peak.ts';
import { measureRollout, type RolloutTimes } from './measure-rollout.ts';
import { measureSearch, type SearchingProxy, type SearchTimes } from './measure-search.ts';
import { measureSessions, type SessionTimes, STORES } from './measure-sessions.ts';
import { measureStarts, type StartTimes } from './measure-starts.ts';
import type { ProxyPlan } from './plan.ts';
import { requestBytes } from './requests.ts';
import { optionsOf, ROLLOUT_WAYS, type RolloutWay } from './rollout-ways.ts';
import type { LoadLatency, ProxyMeasurements } from './run.ts';
import { startProxy } from './start-proxy.ts';

/**
 * Starts an upstream, bare pipes and proxies, each in its own process, measures them by the plan, and stops
 * them.
 */
export function measureProxy(plan: ProxyPlan, options: RunOptions): Promise<ProxyMeasurements> {
  return withProcesses(async (keep) => {
    const { own, baseline, parts } = options;
    const upstream = await keep(startProcess({ file: new URL('upstream-process.ts', import.meta.url) }));
    const checkouts = baseline === undefined ? [own] : [own, baseline];
    const bench: Bench = { ...options, plan, upstream, checkouts };
    const { forwarding, notes } = await measureLoads(bench);
    return {
      forwarding,
      notes,
      firstContent: parts.has('first-content') ? await measureFirstContent(bench) : [],
      searches: parts.has('search') ? await measureSearches(bench) : [],
      starts: parts.has('start') ? await measureAllStarts(bench) : [],
      peaks: parts.has('memory') ? await measurePeaks(bench) : [],
      delays: parts.has('delay') ? await measureAllDelays(bench) : [],
      latency: parts.has('latency') ? await measureLatencies(bench) : [],
      growth: parts.has('growth') ? await measureGrowth(bench) : undefined,
      rollout: parts.has('rollout') ? await measureRollouts(bench) : [],
      sessions: parts.has('sessions') ? await measureStores(bench) : [],
      pairs: [
        ...(parts.has('page') ? await measurePair(bench, 'page') : []),
        ...(parts.has('profiles') ? await measurePair(bench, 'profiles') : []),
      ],
      inProcess: parts.has('in-process') ? await measureInProcess(bench) : [],
      loadModes: parts.has('load-modes') ? await measureLoadModes(plan.loadModes, bench.report) : [],
    };
  });
}

/** Every checkout searches by itself, and through its own selector. */
function measureSearches({ plan, checkouts, upstream, report }: Bench): Promise<SearchTimes[]> {
  report('search rounds');
  return withProcesses(async (keep) => {
    const proxies: SearchingProxy[] = [];
    for (const strategy of ['tool-search', 'api'] as const) {
      for (const checkout of checkouts) {
        const selector = strategy === 'api' ? await keep(startSelector(checkout.directory)) : undefined;
        const where = selector && { selectorUrl: selector.origin };
        const proxy = await keep(startProxy({ checkout, upstreamUrl: upstream.url, strategy, ...where }));
        proxies.push({ checkout: checkout.name, strategy, url: proxy.url });
      }
    }
    return measureSearch(proxies, upstream.url, plan.searchSamples);
  });
}

function measureAllStarts(bench: Bench): Promise<StartTimes[]> {
  const { plan, checkouts, upstream, report } = bench;
  report('start to the first good response');
  const proxies = checkouts.map((checkout) => ({
    name: checkout.name,
    start: () => startProxy({ checkout, upstreamUrl: upstream.url, strategy: 'tool-search' }),
  }));
  const pipe = { name: 'undici pipe', start: () => startUndiciPipe(bench) };
  const request = requestBytes(TOOLS_LOAD.body(false), { answer: 'whole' });
  return measureStarts([pipe, ...proxies], request, plan.starts);
}

/**
 * Measures fresh processes in turn. Each gets whole and streamed exchanges of one conversation, so its
 * sessions are small.
 */
async function measurePeaks(bench: Bench): Promise<PeakMemory[]> {
  const { plan, checkouts, upstream, report } = bench;
  report('peak memory');
  const requests = [
    requestBytes(TOOLS_LOAD.body(false), { answer: 'whole' }),
    requestBytes(TOOLS_LOAD.body(true), { answer: 'stream' }),
  ];
  const startables: [string, () => Promise<RunningProcess>][] = [
    ['undici pipe', () => startUndiciPipe(bench)],
    ...checkouts.map((checkout): [string, () => Promise<RunningProcess>] => [
      checkout.name,
      () => startProxy({ checkout, upstreamUrl: upstream.url, strategy: 'tool-search' }),
    ]),
  ];
  const peaks = new Map(startables.map(([name]): [string, (number | undefined)[]] => [name, []]));
  for (let round = 0; round < plan.peak.starts; round += 1) {
    for (const [name, start] of startables) {
      const peak = await withOne(start(), (running) => measurePeak(running, requests, plan.peak));
      peaks.get(name)!.push(peak);
    }
  }
  const { connections, exchanges } = plan.peak;
  return [...peaks].map(([name, ofName]) => ({ name, connections, exchanges, peaks: ofName }));
}

function measureAllDelays({ plan, checkouts, upstream, report }: Bench): Promise<LoopDelay[]> {
  report('delay of the event loop');
  return withProcesses(async (keep) => {
    const proxies: ReportingProxy[] = [];
    for (const strategy of ['tool-search', 'relevance'] as const) {
      for (const checkout of checkouts) {
        const probe = new URL('../report-delay.ts', import.meta.url);
        const process = await keep(startProxy({ checkout, upstreamUrl: upstream.url, strategy, probe }));
        proxies.push({ checkout: checkout.name, strategy, process });
      }
    }
    return measureDelays(proxies, plan.delays);
  });
}

function withOne<Running extends Stoppable, Value>(
  starting: Promise<Running>,
  use: (running: Running) => Promise<Value>,
): Promise<Value> {
  return withProcesses(async (keep) => use(await keep(starting)));
}

async function measureLatencies(bench: Bench): Promise<LoadLatency[]> {
  const { own: checkout, upstream, plan } = bench;
  const latencies: LoadLatency[] = [];
  for (const load of LOADS) {
    bench.report(`latency, ${load.title}`);
    await withProcesses(async (keep) => {
      const pipe = await keep(startUndiciPipe(bench));
      const [way] = load.ways as [ForwardingWay];
      const proxy = await keep(startProxy({ checkout, upstreamUrl: upstream.url, ...optionsOfWay(way) }));
      const measure = (isStream: boolean) => {
        const request = requestBytes(load.body(isStream), { answer: isStream ? 'stream' : 'whole' });
        return measureLatency({ direct: upstream, pipe, proxy }, request, plan.latencySamples);
      };
      const { name, title } = load;
      latencies.push({ load: name, title, whole: await measure(false), stream: await measure(true) });
    });
  }
  return latencies;
}

/** A proxy for this measurement alone. It remembers few conversations, so that its memory fills up soon. */
function measureGrowth({ plan, own: checkout, upstream, report }: Bench): Promise<MemoryCourse> {
  report('growth of memory');
  return withProcesses(async (keep) => {
    const proxy = await keep(
      startProxy({
        checkout,
        upstreamUrl: upstream.url,
        strategy: 'tool-search',
        probe: new URL('report-memory.ts', import.meta.url),
        settings: { PROXY_SESSIONS_MAX_MEMORY: '256KiB' },
      }),
    );
    return measureMemory(proxy, plan.growth);
  });
}

/** One selector serves all proxies that need one. */
function measureRollouts({ plan, own: checkout, upstream, report }: Bench): Promise<RolloutTimes[]> {
  report('rollout, modes that alter nothing');
  return withProcesses(async (keep) => {
    const { origin: selectorUrl } = await keep(startSelector(checkout.directory));
    const proxies = new Map<RolloutWay, RunningProcess>();
    for (const way of ROLLOUT_WAYS) {
      const where = { checkout, upstreamUrl: upstream.url, selectorUrl };
      proxies.set(way, await keep(startProxy({ ...where, ...optionsOf(way) })));
    }
    return measureRollout(proxies, plan.rollout);
  });
}

function measureStores({ plan, own: checkout, upstream, report }: Bench): Promise<SessionTimes[]> {
  report('sessions, in memory and in Redis');
  return withProcesses(async (keep) => {
    const redis = await keep(startRedis().then((started) => ({ ...started, stop: started.close })));
    const urls = new Map<string, string>();
    for (const store of STORES) {
      const settings = {
        PROXY_SESSIONS_SECRET: 'the-secret-of-the-bench',
        ...(store === 'redis' && { PROXY_REDIS_URL: redis.url }),
      };
      const options = { checkout, upstreamUrl: upstream.url, strategy: 'tool-search', settings } as const;
      urls.set(store, (await keep(startProxy(options))).url);
    }
    return measureSessions(urls, plan.sessionSamples);
  });
}
