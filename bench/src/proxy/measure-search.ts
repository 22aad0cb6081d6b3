import type { Checkout } from '../checkout.ts';
import { readMetric } from '../read-metric.ts';
import { summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import { type Comparison, compareWays } from './compare-ways.ts';
import { type ByWay, measureWays } from './measure-ways.ts';
import { bodyWithTools, requestBytes } from './requests.ts';

/** A proxy that searches. */
export interface SearchingProxy {
  readonly checkout: Checkout['name'];
  readonly strategy: 'tool-search' | 'api';
  readonly url: string;
}

/**
 * Duration of a full search round, in milliseconds: two requests to the upstream and the search between them.
 */
export interface SearchTimes extends Omit<SearchingProxy, 'url'> {
  /** Tools that were searched before. */
  readonly warm: TimeSummary;
  /** New tools, which must be indexed first. */
  readonly cold: TimeSummary;
  /**
   * Difference between warm rounds and the direct way: one streamed response with the same tools, without
   * Winnow.
   */
  readonly afterDirect: Comparison;
  /** Difference between warm rounds and those of the baseline's proxy with this strategy. */
  readonly afterBaseline: Comparison | undefined;
}

const KNOWN_SEED = 1;
const FIRST_NEW_SEED = 1_000;
/** Number of warm rounds for each cold one: cold rounds have 140 KB each. */
const COLD_SHARE = 4;

/**
 * Measures full search rounds of streamed exchanges, and one plain exchange on the direct way, one at a time
 * and in turn. Each round is a new conversation, because found tools would stay visible in the next one.
 */
export async function measureSearch(
  proxies: readonly SearchingProxy[],
  directUrl: string,
  samples: number,
): Promise<SearchTimes[]> {
  const urls = new Map(proxies.map((proxy): [string, string] => [wayOf(proxy), proxy.url]));
  const known = bodyWithTools(true, KNOWN_SEED);
  const warm = await measureWays({
    urls: new Map([['direct', directUrl], ...urls]),
    samples,
    request: (sample, way) =>
      way === 'direct'
        ? requestBytes(known, { answer: 'stream' })
        : requestBytes(known, { answer: 'search', query: known.query, session: `warm-${sample}` }),
  });
  const cold = await measureWays({
    urls,
    samples: Math.ceil(samples / COLD_SHARE),
    warmUp: 0,
    request(sample) {
      const body = bodyWithTools(true, FIRST_NEW_SEED + sample);
      return requestBytes(body, { answer: 'search', query: body.query, session: `cold-${sample}` });
    },
  });
  for (const proxy of proxies) await proveSearches(proxy.url);
  return proxies.map((proxy) => summarize(proxy, warm, cold));
}

function summarize(
  { checkout, strategy }: SearchingProxy,
  warm: ByWay<number[]>,
  cold: ByWay<number[]>,
): SearchTimes {
  const way = wayOf({ checkout, strategy });
  const baseline = checkout === 'winnow' ? warm.get(wayOf({ checkout: 'baseline', strategy })) : undefined;
  return {
    checkout,
    strategy,
    warm: summarizeTimes(warm.get(way)!),
    cold: summarizeTimes(cold.get(way)!),
    afterDirect: compareWays(warm.get(way)!, warm.get('direct')!),
    afterBaseline: baseline && compareWays(warm.get(way)!, baseline),
  };
}

function wayOf({ checkout, strategy }: Omit<SearchingProxy, 'url'>): string {
  return `${checkout} ${strategy}`;
}

/**
 * Checks that searches succeeded: a failed search shows all tools, takes much less time, and must not be
 * taken for a fast one.
 */
async function proveSearches(proxyUrl: string): Promise<void> {
  const all = await readMetric(proxyUrl, 'winnow_proxy_searches_total');
  const found = await readMetric(proxyUrl, 'winnow_proxy_searches_total', { outcome: 'found' });
  if (found === 0 || all - found > MOST_FAILED * all)
    throw new Error(`only ${found} of ${all} searches found something`);
}

/** Share of searches that may fail: on a busy machine, one may take longer than it may. Medians stay the same. */
const MOST_FAILED = 0.01;
