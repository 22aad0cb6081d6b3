import { SearchRecord } from '@winnow/contract';
import { readMetric } from '../read-metric.ts';
import type { NamedProcess } from './fleet.ts';

/** What proxies have counted since they were started, all together. */
export interface ProxyCounts {
  readonly exchanges: number;
  readonly upstreamCalls: number;
  readonly open: number;
  readonly sessionErrors: number;
  /** Exchanges in which everything was shown for another reason than too many searches. */
  readonly fallbacks: number;
  readonly droppedRecords: number;
  /** By what came of them. */
  readonly searches: ReadonlyMap<string, number>;
}

/** Asks all proxies for their metrics. */
export async function countProxies(proxies: readonly NamedProcess[]): Promise<ProxyCounts> {
  const sum = async (name: string, labels: Readonly<Record<string, string>> = {}) => {
    const values = proxies.map(({ process }) => readMetric(process.url, `winnow_proxy_${name}`, labels));
    return (await Promise.all(values)).reduce((total, value) => total + value, 0);
  };
  const searches = new Map<string, number>();
  for (const outcome of SearchRecord.shape.outcome.options) {
    const count = await sum('searches_total', { outcome });
    if (count > 0) searches.set(outcome, count);
  }
  return {
    exchanges: await sum('exchanges_total'),
    upstreamCalls: await sum('upstream_calls_sum'),
    open: await sum('open_exchanges'),
    sessionErrors: await sum('session_errors_total'),
    fallbacks: (await sum('fallbacks_total')) - (await sum('fallbacks_total', { reason: 'limit' })),
    droppedRecords: await sum('records_dropped_total'),
    searches,
  };
}

/** Outcomes of searches that somebody has answered, or that nobody is asked for: the last one of an exchange that only searches. */
const ANSWERED = ['found', 'no_match', 'limit'];

/** Searches that nobody has answered. */
export function unansweredSearches({ searches }: Pick<ProxyCounts, 'searches'>): number {
  return [...searches].reduce((sum, [outcome, count]) => (ANSWERED.includes(outcome) ? sum : sum + count), 0);
}
