import { readMetric } from '../read-metric.ts';
import type { RunningProcess } from '../start-process.ts';
import { mean, summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import { type Comparison, compareWays } from './compare-ways.ts';
import { Connection } from './connection.ts';
import { type ByWay, measureWays } from './measure-ways.ts';
import { bodyWithTools, requestBytes, smallBody } from './requests.ts';
import type { RolloutWay } from './rollout-ways.ts';

/** Durations of one kind of request in each rollout mode that alters nothing. */
export interface RolloutTimes {
  readonly request: string;
  /** One exchange at a time, with a pause after each. */
  readonly slow: ByWay<TimeSummary>;
  /** The same, relative to the first passthrough. */
  readonly afterPassthrough: ByWay<Comparison>;
  /** 16 connections, each sending its next request as soon as it has its response. */
  readonly full: ByWay<FullRate>;
}

/** The throughput of a saturated proxy. */
export interface FullRate {
  readonly perSecond: number;
  readonly times: TimeSummary;
}

/** Scope of the measurement. */
export interface RolloutEffort {
  readonly samples: number;
  /** Warm-up exchanges on each way. */
  readonly warmUp: number;
  readonly pauseMs: number;
  readonly windows: number;
  readonly windowMs: number;
}

const CONNECTIONS = 16;
/** Number of checks for a search, and the pause between them. */
const LOOKS = 50;
const LOOK_MS = 100;

/**
 * Measures a small request and one with 200 tools on all ways. Throws if a proxy that should observe does
 * not.
 */
export async function measureRollout(
  proxies: ReadonlyMap<RolloutWay, RunningProcess>,
  effort: RolloutEffort,
): Promise<RolloutTimes[]> {
  const urls = new Map([...proxies].map(([way, { url }]): [string, string] => [way, url]));
  const small = await measureRequest(
    'small',
    requestBytes(smallBody(false), { answer: 'whole' }),
    urls,
    effort,
  );
  const large = requestBytes(bodyWithTools(false, 1), { answer: 'whole' });
  const withTools = await measureRequest('200 tools', large, urls, effort);
  for (const way of ['dark', 'shadow'] as const) await proveObserving(proxies.get(way)!);
  return [small, withTools];
}

async function measureRequest(
  title: string,
  request: Buffer,
  urls: ByWay<string>,
  effort: RolloutEffort,
): Promise<RolloutTimes> {
  const { samples, warmUp, pauseMs } = effort;
  const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));
  const times = await measureWays({ urls, request: () => request, samples, warmUp, pause });
  const passthrough = times.get('passthrough')!;
  const others = [...times].filter(([way]) => way !== 'passthrough');
  return {
    request: title,
    slow: mapValues(times, summarizeTimes),
    afterPassthrough: mapValues(new Map(others), (one) => compareWays(one, passthrough)),
    full: await measureFullRate(urls, request, effort),
  };
}

/** Windows alternate between ways; the first of each way warms up and is not counted. */
async function measureFullRate(
  urls: ByWay<string>,
  request: Buffer,
  { windows, windowMs }: RolloutEffort,
): Promise<ByWay<FullRate>> {
  const rates = new Map([...urls.keys()].map((way): [string, number[]] => [way, []]));
  const times = new Map([...urls.keys()].map((way): [string, number[]] => [way, []]));
  for (let window = 0; window <= windows; window += 1) {
    for (const [way, url] of urls) {
      const taken = await measureWindow(url, request, windowMs);
      if (window === 0) continue;
      rates.get(way)!.push((taken.length * 1_000) / windowMs);
      times.get(way)!.push(...taken);
    }
  }
  return mapValues(times, (taken, way) => ({
    perSecond: mean(rates.get(way)!),
    times: summarizeTimes(taken),
  }));
}

async function measureWindow(url: string, request: Buffer, windowMs: number): Promise<number[]> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(url)));
  const deadline = performance.now() + windowMs;
  const taken: number[] = [];
  const send = async (connection: Connection) => {
    while (performance.now() < deadline) taken.push((await connection.exchange(request)).totalMs);
    connection.close();
  };
  await Promise.all(connections.map(send));
  return taken;
}

/**
 * Checks that the proxy searched: a proxy that does not observe costs less and must not be taken for one that
 * does.
 */
async function proveObserving({ url }: RunningProcess): Promise<void> {
  // Whether it finds something for sure is no matter.
  const labels = { asked_by: 'observation' };
  for (let looked = 0; looked < LOOKS; looked += 1) {
    if ((await readMetric(url, 'winnow_proxy_searches_total', labels)) > 0) return;
    // Observations run next to the requests, and may continue after the last of them.
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error('a proxy that should observe has sent no search');
}

function mapValues<From, To>(map: ByWay<From>, change: (value: From, way: string) => To): ByWay<To> {
  return new Map([...map].map(([way, value]) => [way, change(value, way)]));
}
