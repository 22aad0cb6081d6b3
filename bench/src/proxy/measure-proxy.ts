import { startSelector } from '../selector/start-selector.ts';
import { startProcess } from '../start-process.ts';
import { withProcesses } from '../with-processes.ts';
import { type Bench, type RunOptions, startUndiciPipe } from './bench.ts';
import { type LoopDelay, measureDelays, type ReportingProxy } from './measure-delays.ts';
import { measureInProcess } from './measure-in-process.ts';
import { type MemoryCourse, measureMemory } from './measure-memory.ts';
import { measureMemoryAfterLoad } from './measure-memory-after-load.ts';
import { measureRow, type RowCost } from './measure-rows.ts';
import { measureSearch, type SearchingProxy, type SearchTimes } from './measure-search.ts';
import { measureStarts, type StartTimes } from './measure-starts.ts';
import type { ProxyPlan } from './plan.ts';
import { bodyWithTools, requestBytes } from './requests.ts';
import { COST_ROWS, FORMAT_ROWS } from './rows.ts';
import type { ProxyMeasurements } from './run.ts';
import { startProxy } from './start-proxy.ts';

/**
 * Starts an upstream, the pipe and proxies, each in its own process, measures them by the plan, and stops
 * them.
 */
export function measureProxy(plan: ProxyPlan, options: RunOptions): Promise<ProxyMeasurements> {
  return withProcesses(async (keep) => {
    const { own, baseline, parts } = options;
    const upstream = await keep(startProcess({ file: new URL('upstream-process.ts', import.meta.url) }));
    const checkouts = baseline === undefined ? [own] : [own, baseline];
    const bench: Bench = { ...options, plan, upstream, checkouts };
    const costs: RowCost[] = [];
    for (const row of [...COST_ROWS, ...FORMAT_ROWS])
      if (parts.has(row.name)) costs.push(await measureRow(bench, row));
    return {
      costs,
      memory: parts.has('memory') ? await measureMemoryAfterLoad(bench) : [],
      starts: parts.has('start') ? await measureAllStarts(bench) : [],
      inProcess: parts.has('in-process') ? await measureInProcess(bench) : [],
      searches: parts.has('search') ? await measureSearches(bench) : [],
      delays: parts.has('delay') ? await measureAllDelays(bench) : [],
      growth: parts.has('growth') ? await measureGrowth(bench) : undefined,
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
  const pipe = { name: 'pipe', start: () => startUndiciPipe(bench) };
  const request = requestBytes(bodyWithTools(false, 1), { answer: 'whole' });
  return measureStarts([pipe, ...proxies], request, plan.starts);
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
        memory: 2 * 2 ** 20,
      }),
    );
    return measureMemory(proxy, plan.growth);
  });
}
