import { withProcesses } from '../with-processes.ts';
import type { Bench } from './bench.ts';
import type { RoundWindow } from './compare-windows.ts';
import { LOADS, type Load, optionsOfWay } from './forwarding-ways.ts';
import { type ForwardingEffort, measureForwarding } from './measure-forwarding.ts';
import { requestBytes } from './requests.ts';
import { startProxy } from './start-proxy.ts';

/** Number of starts of both proxies, and duration of the load. */
export interface PairEffort extends ForwardingEffort {
  /**
   * Pairs of fresh processes: even two identical processes differ by some percent for as long as they live.
   */
  readonly pairs: number;
}

/** Two settings of a proxy whose cost per request is compared. */
export interface Pair {
  readonly title: string;
  /** The names of the compared proxies in their windows. */
  readonly with: string;
  readonly without: string;
  /** Their settings, as environment variables. */
  readonly settings: (isWith: boolean) => Readonly<Record<string, string>>;
}

/** Profiles of which none matches: for each request all are tried, by its user agent and by its model. */
const PROFILES = Object.fromEntries(
  Array.from({ length: 20 }, (_, number) => [
    number % 2 === 0
      ? [`PROXY_PROFILES_P${number}_MATCH_AGENT`, `agent-${number}/*`]
      : [`PROXY_PROFILES_P${number}_MATCH_MODEL`, `model-${number}-*`],
    [`PROXY_PROFILES_P${number}_ALWAYS_KEEP`, `tool-${number}`],
  ]).flat(),
);

/** The live page (the default), while no one watches; and profiles. */
export const PAIRS = {
  page: {
    title: 'The live page',
    with: 'with the page',
    without: 'without it',
    settings: (isWith) => ({ PROXY_PAGE_ENABLED: String(isWith) }),
  },
  profiles: {
    title: 'Profiles',
    with: 'with 20 profiles',
    without: 'with none',
    settings: (isWith) => (isWith ? PROFILES : {}),
  },
} as const satisfies Readonly<Record<string, Pair>>;

/** Cost of a request with two settings. */
export interface PairCost {
  readonly pair: keyof typeof PAIRS;
  readonly title: string;
  /** The windows of each pair of processes. */
  readonly pairs: readonly (readonly RoundWindow[])[];
}

/**
 * Sends small requests that pass through, and requests with 200 deferred tools, to pairs of proxies that
 * differ only in a pair of settings.
 */
export async function measurePair(bench: Bench, name: PairCost['pair']): Promise<PairCost[]> {
  const costs: PairCost[] = [];
  for (const load of LOADS.filter((one) => one.name === 'small' || one.name === 'tools')) {
    bench.report(`${PAIRS[name].title}, ${load.title}`);
    const pairs: RoundWindow[][] = [];
    for (let pair = 0; pair < bench.plan.pairs.pairs; pair += 1) {
      pairs.push(await measureOnce(bench, PAIRS[name], load, pair % 2 === 0));
    }
    costs.push({ pair: name, title: load.title, pairs });
  }
  return costs;
}

/** The proxy to start first alternates from pair to pair. */
function measureOnce(
  { own: checkout, upstream, plan }: Bench,
  pair: Pair,
  load: Load,
  isWithFirst: boolean,
): Promise<RoundWindow[]> {
  const { strategy } = optionsOfWay(load.ways[0]!);
  return withProcesses(async (keep) => {
    const start = async (isWith: boolean) => {
      const name = isWith ? pair.with : pair.without;
      const settings = pair.settings(isWith);
      const proxy = startProxy({ checkout, upstreamUrl: upstream.url, strategy, settings });
      return { ...(await keep(proxy)), name };
    };
    const receivers = [await start(isWithFirst), await start(!isWithFirst)];
    return measureForwarding(receivers, requestBytes(load.body(false), { answer: 'whole' }), plan.pairs);
  });
}
