import { startRedis } from '@winnow/testkit';
import { readMetric } from '../read-metric.ts';
import { startSelector } from '../selector/start-selector.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';
import { measureLatency } from './measure-latency.ts';
import { type MemoryCourse, measureMemory } from './measure-memory.ts';
import { measureRollout, type RolloutTimes } from './measure-rollout.ts';
import { measureSearch, type SearchTimes } from './measure-search.ts';
import { measureSessions, type SessionTimes, STORES } from './measure-sessions.ts';
import { measureThroughput } from './measure-throughput.ts';
import type { ProxyPlan } from './plan.ts';
import { bodyWithTools, requestBytes, smallBody } from './requests.ts';
import { optionsOf, ROLLOUT_WAYS, type RolloutWay } from './rollout-ways.ts';
import type { ByRoute } from './routes.ts';
import type { ForwardingMeasurements, ProxyMeasurements } from './run.ts';
import { type ProxyOptions, startProxy } from './start-proxy.ts';

/** What a run is told besides its plan. */
export interface RunOptions {
  /** Hears what is being measured. */
  readonly report: (line: string) => void;
  /** A folder for CPU profiles of the proxies that forward; measuring with them is slower. */
  readonly profileDirectory?: string | undefined;
}

/** Starts an upstream, a bare pipe and proxies, each in a process of its own, measures them by the plan, and stops them. */
export async function measureProxy(plan: ProxyPlan, options: RunOptions): Promise<ProxyMeasurements> {
  return withProcess(
    startProcess({ file: new URL('upstream-process.ts', import.meta.url) }),
    async (upstream) => {
      const { small, deferred } = await measureBothForwardings(plan, upstream, options);
      const searches = await measureSearches(plan, upstream.url, options);
      options.report('memory');
      const memory = await measureMemoryOf(plan, upstream.url);
      const rollout = await measureRollouts(plan, upstream.url, options);
      const sessions = await measureStores(plan, upstream.url, options);
      return { small, deferred, searches, memory, rollout, sessions };
    },
  );
}

function measureBothForwardings(
  plan: ProxyPlan,
  upstream: RunningProcess,
  options: RunOptions,
): Promise<Pick<ProxyMeasurements, 'small' | 'deferred'>> {
  return withProcess(
    startProcess({ file: new URL('pipe-process.ts', import.meta.url), args: [upstream.url] }),
    async (pipe) => {
      const measure = (strategy: ProxyOptions['strategy'], toBody: ToBody) =>
        withProcess(startProxy({ upstreamUrl: upstream.url, strategy, ...options }), async (proxy) => {
          options.report(`forwarding, strategy ${strategy}`);
          const measured = await measureForwarding(plan, { direct: upstream, pipe, proxy }, toBody);
          if (strategy === 'tool-search') await proveDeferring(proxy.url);
          return measured;
        });
      const small = await measure('passthrough', smallBody);
      const deferred = await measure('tool-search', (isStream) => bodyWithTools(isStream, 1));
      return { small, deferred };
    },
  );
}

type ToBody = (isStream: boolean) => ReturnType<typeof smallBody>;

async function measureForwarding(
  { throughput, latencySamples }: ProxyPlan,
  receivers: ByRoute<RunningProcess>,
  toBody: ToBody,
): Promise<ForwardingMeasurements> {
  const whole = requestBytes(toBody(false), { answer: 'whole' });
  const stream = requestBytes(toBody(true), { answer: 'stream' });
  return {
    throughput: await measureThroughput(receivers, whole, throughput),
    whole: await measureLatency(receivers, whole, latencySamples),
    stream: await measureLatency(receivers, stream, latencySamples),
  };
}

/** A request that is left alone costs less: it must not pass for one whose tools are deferred. */
async function proveDeferring(proxyUrl: string): Promise<void> {
  const deferred = await readMetric(proxyUrl, 'winnow_proxy_exchanges_total', {
    format: 'openai-chat',
    plan: 'deferred',
    outcome: 'answered',
  });
  if (deferred === 0) throw new Error('no tools were deferred');
}

async function measureSearches(
  { searchSamples }: ProxyPlan,
  upstreamUrl: string,
  { report }: RunOptions,
): Promise<SearchTimes[]> {
  const measure = (strategy: SearchTimes['strategy'], selectorUrl?: string) => {
    report(`search rounds, strategy ${strategy}`);
    const starting = startProxy({ upstreamUrl, strategy, ...(selectorUrl !== undefined && { selectorUrl }) });
    return withProcess(starting, ({ url }) => measureSearch(strategy, url, searchSamples));
  };
  const local = await measure('tool-search');
  const asked = await withProcess(startSelector(), ({ origin }) => measure('api', origin));
  return [local, asked];
}

/** A proxy of its own, which has nothing behind it. */
function measureMemoryOf({ memory }: ProxyPlan, upstreamUrl: string): Promise<MemoryCourse> {
  const starting = startProxy({ upstreamUrl, strategy: 'tool-search', reportsMemory: true });
  return withProcess(starting, (proxy) => measureMemory(proxy, memory));
}

/** One selector serves all proxies that ask. */
function measureRollouts(
  { rollout }: ProxyPlan,
  upstreamUrl: string,
  { report }: RunOptions,
): Promise<RolloutTimes[]> {
  report('rollout, modes that alter nothing');
  const start = (way: RolloutWay, selectorUrl: string) =>
    startProxy({ upstreamUrl, selectorUrl, ...optionsOf(way) });
  return withProcess(startSelector(), ({ origin }) =>
    withProcesses(
      ROLLOUT_WAYS,
      (way) => start(way, origin),
      (proxies) => measureRollout(proxies, rollout),
    ),
  );
}

function measureStores(
  { sessionSamples }: ProxyPlan,
  upstreamUrl: string,
  { report }: RunOptions,
): Promise<SessionTimes[]> {
  report('sessions, in memory and in Redis');
  const startingRedis = startRedis().then((redis) => ({ ...redis, stop: redis.close }));
  return withProcess(startingRedis, (redis) => {
    const start = (store: (typeof STORES)[number]) =>
      startProxy({
        upstreamUrl,
        strategy: 'tool-search',
        settings: {
          PROXY_SESSIONS_STORE: store,
          PROXY_SESSIONS_SECRET: 'the-secret-of-the-bench',
          PROXY_REDIS_URL: redis.url,
        },
      });
    return withProcesses(STORES, start, (proxies) => {
      const urls = new Map([...proxies].map(([store, { url }]): [string, string] => [store, url]));
      return measureSessions(urls, sessionSamples);
    });
  });
}

/** Uses a process for each name while they run, and stops them whatever happens. */
function withProcesses<Name, Value>(
  names: readonly Name[],
  start: (name: Name) => Promise<RunningProcess>,
  use: (running: ReadonlyMap<Name, RunningProcess>) => Promise<Value>,
): Promise<Value> {
  const [first, ...rest] = names;
  if (first === undefined) return use(new Map());
  return withProcess(start(first), (process) =>
    withProcesses(rest, start, (others) => use(new Map([[first, process], ...others]))),
  );
}

/** Uses a process while it runs, and stops it whatever happens. */
async function withProcess<Running extends { stop(): Promise<void> }, Value>(
  starting: Promise<Running>,
  use: (running: Running) => Promise<Value>,
): Promise<Value> {
  const running = await starting;
  try {
    return await use(running);
  } finally {
    await running.stop();
  }
}
