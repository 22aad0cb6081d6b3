import { type Checkout, speaks } from '../checkout.ts';
import { readMetric } from '../read-metric.ts';
import { type Keep, withProcesses } from '../with-processes.ts';
import { type Bench, startHttpPipe, startUndiciPipe } from './bench.ts';
import { type ForwardingWay, LOADS, type Load, optionsOfWay, TOOLS_LOAD } from './forwarding-ways.ts';
import { measureForwarding } from './measure-forwarding.ts';
import type { Receiver } from './receiver.ts';
import { numbered, requestBytes } from './requests.ts';
import type { FirstContent, ForwardingCost, ProxyMeasurements } from './run.ts';
import { startFloor } from './start-floor.ts';
import { startProxy } from './start-proxy.ts';

const NO_FLOOR = 'Neither haproxy nor nginx is installed: their row is left out.';
const NO_CPU = 'Processor time is read from /proc, which only Linux has: it is left out.';

/** Measures the cost of a request on every requested way, along with a floor and two pipes. */
export async function measureLoads(bench: Bench): Promise<Pick<ProxyMeasurements, 'forwarding' | 'notes'>> {
  const forwarding: ForwardingCost[] = [];
  const notes = new Set<string>();
  for (const load of LOADS) {
    const ways = load.ways.filter((way) => bench.parts.has(way));
    if (ways.length === 0) continue;
    bench.report(`forwarding, ${load.title}: ${ways.join(', ')}`);
    await withProcesses(async (keep) => {
      const floor = await startFloor(bench.upstream.url);
      if (floor === undefined) notes.add(NO_FLOOR);
      else await keep(Promise.resolve(floor));
      if (bench.upstream.cpuMs() === undefined) notes.add(NO_CPU);
      const pipes = [
        { ...(await keep(startUndiciPipe(bench))), name: 'undici pipe' },
        { ...(await keep(startHttpPipe(bench))), name: 'http pipe' },
      ];
      const proxies = await startProxies(bench, keep, { ways, format: load.format });
      const direct = { ...bench.upstream, name: 'direct' };
      const receivers = [direct, ...(floor ? [floor] : []), ...pipes, ...proxies];
      forwarding.push(await measureLoad(bench, { load, ways, receivers }));
      if (load.name !== 'small') for (const { url } of proxies) await proveDeferring(url);
    });
  }
  return { forwarding, notes: [...notes] };
}

async function measureLoad(
  { plan }: Bench,
  { load, ways, receivers }: { load: Load; ways: readonly ForwardingWay[]; receivers: readonly Receiver[] },
): Promise<ForwardingCost> {
  const request = requestBytes(load.body(false), { answer: 'whole' });
  const requests = load.isNew === true ? numbered(request) : request;
  const windows = await measureForwarding(receivers, requests, plan.forwarding);
  return { load: load.name, title: load.title, bodyBytes: request.length, ways, windows };
}

/**
 * Measures the time until the first text of a streamed response with 200 deferred tools, along with the
 * undici pipe.
 */
export function measureFirstContent(bench: Bench): Promise<FirstContent[]> {
  bench.report('first visible content');
  return withProcesses(async (keep) => {
    const pipe = { ...(await keep(startUndiciPipe(bench))), name: 'undici pipe' };
    const proxies = await startProxies(bench, keep, { ways: ['tool-search'], format: TOOLS_LOAD.format });
    const receivers = [{ ...bench.upstream, name: 'direct' }, pipe, ...proxies];
    const measured: FirstContent[] = [];
    for (const answer of ['stream', 'paced'] as const) {
      const request = requestBytes(TOOLS_LOAD.body(true), { answer });
      // The second kind runs on warm processes, and each of its exchanges takes a tenth of a second.
      const { firstContent } = bench.plan;
      const effort = answer === 'paced' ? { ...firstContent, warmUp: 0 } : firstContent;
      measured.push({ answer, windows: await measureForwarding(receivers, request, effort) });
    }
    for (const { url } of proxies) await proveDeferring(url);
    return measured;
  });
}

/** Returns the proxies of every checkout that has the format. */
async function startProxies(
  bench: Bench,
  keep: Keep,
  { ways, format }: Pick<Load, 'ways' | 'format'>,
): Promise<Receiver[]> {
  const proxies: Receiver[] = [];
  for (const way of ways) {
    for (const checkout of bench.checkouts.filter((each) => speaks(each, format))) {
      // Without a search, the selector gets no requests, but its address is a required setting.
      const selectorUrl = bench.upstream.url;
      const profile = profileOf(bench, checkout, way);
      const options = { checkout, upstreamUrl: bench.upstream.url, selectorUrl, profile };
      const proxy = await keep(startProxy({ ...options, ...optionsOfWay(way) }));
      proxies.push({ ...proxy, name: `${checkout.name} ${way}` });
    }
  }
  return proxies;
}

function profileOf({ profileDirectory }: Bench, { name }: Checkout, way: ForwardingWay) {
  return profileDirectory === undefined ? undefined : { directory: profileDirectory, name: `${name}-${way}` };
}

/**
 * Checks that the tools were deferred: an untouched request costs less and must not be taken for a deferred
 * one.
 */
async function proveDeferring(proxyUrl: string): Promise<void> {
  const count = (labels: Readonly<Record<string, string>>) =>
    readMetric(proxyUrl, 'winnow_proxy_exchanges_total', labels);
  const all = await count({});
  const deferred = await count({ plan: 'deferred', outcome: 'answered' });
  if (deferred === 0 || deferred !== all)
    throw new Error(`of ${all} exchanges, only ${deferred} deferred tools`);
}
