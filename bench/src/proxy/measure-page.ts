import { withProcesses } from '../with-processes.ts';
import type { Bench } from './bench.ts';
import type { RoundWindow } from './compare-windows.ts';
import { LOADS, type Load, optionsOfWay } from './forwarding-ways.ts';
import { type ForwardingEffort, measureForwarding } from './measure-forwarding.ts';
import { requestBytes } from './requests.ts';
import { startProxy } from './start-proxy.ts';

/** Number of starts of both proxies, and duration of the load. */
export interface PageEffort extends ForwardingEffort {
  /**
   * Pairs of fresh processes: even two identical processes differ by some percent for as long as they live.
   */
  readonly pairs: number;
}

/** Cost of a request with the live page (the default) and without it, while no one watches. */
export interface PageCost {
  readonly title: string;
  /** The windows of each pair of processes. */
  readonly pairs: readonly (readonly RoundWindow[])[];
}

/** The names of the compared proxies in their windows. */
export const WITH_PAGE = 'with the page';
export const WITHOUT_PAGE = 'without it';

/**
 * Sends small requests that pass through, and requests with 200 deferred tools, to pairs of proxies that
 * differ only in the live page.
 */
export async function measurePage(bench: Bench): Promise<PageCost[]> {
  const costs: PageCost[] = [];
  for (const load of LOADS.filter(({ name }) => name === 'small' || name === 'tools')) {
    bench.report(`the live page, ${load.title}`);
    const pairs: RoundWindow[][] = [];
    for (let pair = 0; pair < bench.plan.page.pairs; pair += 1) {
      pairs.push(await measurePair(bench, load, pair % 2 === 0));
    }
    costs.push({ title: load.title, pairs });
  }
  return costs;
}

/** The proxy to start first alternates from pair to pair. */
function measurePair(
  { own: checkout, upstream, plan }: Bench,
  load: Load,
  isWithFirst: boolean,
): Promise<RoundWindow[]> {
  const { strategy } = optionsOfWay(load.ways[0]!);
  return withProcesses(async (keep) => {
    const start = async (isEnabled: boolean) => {
      const name = isEnabled ? WITH_PAGE : WITHOUT_PAGE;
      const settings = { PROXY_PAGE_ENABLED: String(isEnabled) };
      const proxy = startProxy({ checkout, upstreamUrl: upstream.url, strategy, settings });
      return { ...(await keep(proxy)), name };
    };
    const receivers = [await start(isWithFirst), await start(!isWithFirst)];
    return measureForwarding(receivers, requestBytes(load.body(false), { answer: 'whole' }), plan.page);
  });
}
