import { withProcesses } from '../with-processes.ts';
import type { Bench } from './bench.ts';
import type { RoundWindow } from './compare-windows.ts';
import { LOADS, type Load, optionsOfWay } from './forwarding-ways.ts';
import { type ForwardingEffort, measureForwarding } from './measure-forwarding.ts';
import { requestBytes } from './requests.ts';
import { startProxy } from './start-proxy.ts';

/** How often to start both proxies, and how long to send to them. */
export interface PageEffort extends ForwardingEffort {
  /** Pairs of fresh processes: two that are set up alike differ by some percent as well, for as long as they live. */
  readonly starts: number;
}

/** What a request costs with the live page, as it is unless switched off, and without it. Nobody watches meanwhile. */
export interface PageCost {
  readonly title: string;
  /** Of all pairs, their rounds numbered on. */
  readonly windows: readonly RoundWindow[];
}

/** The proxies that are compared, as their windows call them. */
export const WITH_PAGE = 'with the page';
export const WITHOUT_PAGE = 'without it';

/** Sends small requests that pass, and such with 200 tools that are deferred, to pairs of proxies that differ by their live page alone. */
export async function measurePage(bench: Bench): Promise<PageCost[]> {
  const costs: PageCost[] = [];
  for (const load of LOADS.filter(({ name }) => name === 'small' || name === 'tools')) {
    bench.report(`the live page, ${load.title}`);
    const windows: RoundWindow[] = [];
    for (let start = 0; start < bench.plan.page.starts; start += 1) {
      const before = start * bench.plan.page.rounds;
      const ofPair = await measurePair(bench, load);
      windows.push(...ofPair.map((window) => ({ ...window, round: window.round + before })));
    }
    costs.push({ title: load.title, windows });
  }
  return costs;
}

function measurePair({ own: checkout, upstream, plan }: Bench, load: Load): Promise<RoundWindow[]> {
  const { strategy } = optionsOfWay(load.ways[0]!);
  return withProcesses(async (keep) => {
    const start = async (name: string, isEnabled: boolean) => {
      const settings = { PROXY_PAGE_ENABLED: String(isEnabled) };
      const proxy = startProxy({ checkout, upstreamUrl: upstream.url, strategy, settings });
      return { ...(await keep(proxy)), name };
    };
    const receivers = [await start(WITH_PAGE, true), await start(WITHOUT_PAGE, false)];
    return measureForwarding(receivers, requestBytes(load.body(false), { answer: 'whole' }), plan.page);
  });
}
