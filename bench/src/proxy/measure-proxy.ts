import { readMetric } from '../read-metric.ts';
import { startSelector } from '../selector/start-selector.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';
import { measureLatency } from './measure-latency.ts';
import { type MemoryCourse, measureMemory } from './measure-memory.ts';
import { measureSearch, type SearchTimes } from './measure-search.ts';
import { measureThroughput } from './measure-throughput.ts';
import type { ProxyPlan } from './plan.ts';
import { bodyWithTools, requestBytes, smallBody } from './requests.ts';
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
      return { small, deferred, searches, memory };
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
