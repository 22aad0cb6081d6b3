import { SearchRecord } from '@winnow/core';
import { readMetrics, sumOfMetric } from '../read-metric.ts';
import type { NamedProcess } from './fleet.ts';

/** Totals that all proxies together have counted since their start. */
export interface ProxyCounts {
  readonly exchanges: number;
  readonly open: number;
  readonly sessionErrors: number;
  /** Exchanges that showed everything for a reason other than too many searches. */
  readonly fallbacks: number;
  readonly droppedRecords: number;
  /** Searches by outcome. */
  readonly searches: ReadonlyMap<string, number>;
}

/** Reads the metrics of all proxies. */
export async function countProxies(proxies: readonly NamedProcess[]): Promise<ProxyCounts> {
  const texts = await Promise.all(proxies.map(({ process }) => readMetrics(process.url)));
  const sum = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    texts.reduce((total, text) => total + sumOfMetric(text, `winnow_proxy_${name}`, labels), 0);
  const searches = SearchRecord.shape.outcome.options.map((outcome): [string, number] => [
    outcome,
    sum('searches_total', { outcome }),
  ]);
  return {
    exchanges: sum('exchanges_total'),
    open: sum('open_exchanges'),
    sessionErrors: sum('session_errors_total'),
    fallbacks: sum('fallbacks_total') - sum('fallbacks_total', { reason: 'limit' }),
    droppedRecords: sum('records_dropped_total'),
    searches: new Map(searches.filter(([, count]) => count > 0)),
  };
}

/**
 * Outcomes of searches that were resolved, or did not need to be: the last one of an exchange that only
 * searches.
 */
const ANSWERED = ['found', 'weak', 'no_match', 'limit'];

/** Returns the number of searches that were not resolved. */
export function unansweredSearches({ searches }: Pick<ProxyCounts, 'searches'>): number {
  return [...searches].reduce((sum, [outcome, count]) => (ANSWERED.includes(outcome) ? sum : sum + count), 0);
}
