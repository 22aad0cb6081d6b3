import type { ExchangeRecord } from '@winnow/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { BreakerState } from './circuit-breaker.ts';

/** What the gauges read when metrics are collected. */
export interface MeteredState {
  readonly breakerState: () => BreakerState;
  readonly sessions: () => number;
  readonly openExchanges: () => number;
}

/** The proxy's measures. Every name is explained in `docs/proxy.md`. */
export interface Metrics {
  count(record: ExchangeRecord): void;
  /** The Prometheus text format, and its content type. */
  collect(): Promise<{ text: string; contentType: string }>;
}

/** From a local search to the selector's deadline, in seconds. */
const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const BREAKER_STATES: readonly BreakerState[] = ['closed', 'half_open', 'open'];

/** Metrics in a registry of their own, so that several proxies can live in one process. */
export function createMetrics(state: MeteredState): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  addStateMetrics(registry, state);
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const seconds = (name: string, help: string) =>
    new Histogram({ name, help, buckets: SECONDS_BUCKETS, registers });

  const exchanges = counter('winnow_proxy_exchanges_total', 'Exchanges of known formats.', [
    'format',
    'plan',
    'outcome',
  ]);
  const searches = counter('winnow_proxy_searches_total', 'Searches of models, by how they ended.', [
    'outcome',
  ]);
  const restores = counter(
    'winnow_proxy_restored_total',
    'Exchanges whose original bytes were sent after all.',
    ['reason'],
  );
  const upstreamCalls = counter('winnow_proxy_upstream_calls_total', 'Requests sent for exchanges.');
  const loaded = counter('winnow_proxy_tools_loaded_total', 'Deferred tools that were visible at the end.');
  const saved = counter('winnow_proxy_estimated_tokens_saved_total', 'Tokens of tools not sent, estimated.');
  const sessionErrors = counter('winnow_proxy_session_errors_total', 'Failures of the session store.');
  const planSeconds = seconds(
    'winnow_proxy_plan_seconds',
    'Time to read a request and to plan what to do with it.',
  );
  const searchSeconds = seconds('winnow_proxy_search_seconds', 'Time of one search.');

  return {
    count(record) {
      exchanges.inc({ format: record.format, plan: record.planReason, outcome: record.outcome });
      for (const search of record.searches) {
        searches.inc({ outcome: search.outcome });
        searchSeconds.observe(search.ms / 1_000);
      }
      if (record.restoredBecause) restores.inc({ reason: record.restoredBecause });
      upstreamCalls.inc(record.upstreamCalls);
      loaded.inc(record.tools.loaded);
      const { estimatedTokensBefore, estimatedTokensAfter } = record.toolBytes;
      saved.inc(Math.max(0, estimatedTokensBefore - estimatedTokensAfter));
      sessionErrors.inc(record.sessionErrors);
      planSeconds.observe(record.planMs / 1_000);
    },
    collect: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}

function addStateMetrics(registry: Registry, state: MeteredState): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('winnow_proxy_breaker_state', 'Of the selector: 0 closed, 1 half open, 2 open.', () =>
    BREAKER_STATES.indexOf(state.breakerState()),
  );
  gauge('winnow_proxy_sessions', 'Sessions held.', state.sessions);
  gauge('winnow_proxy_open_exchanges', 'Requests being answered, streams included.', state.openExchanges);
}
