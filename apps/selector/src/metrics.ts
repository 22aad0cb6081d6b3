import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the gauges read when metrics are collected. */
export interface MeteredState {
  readonly cache: { readonly size: number; readonly bytes: number; readonly evictions: number };
  readonly admission: { readonly waiting: number };
  /** Builds that wait for a worker. */
  readonly queuedBuilds: () => number;
}

/** What one answered search adds to the metrics. Times are in milliseconds. */
export interface SearchMeasures {
  readonly index: 'built' | 'cached';
  readonly parseMs: number;
  readonly indexMs: number;
  readonly rankMs: number;
  readonly tools: number;
  readonly isNoMatch: boolean;
}

/** The service's measures. Every name is explained in `docs/selector.md`. */
export interface Metrics {
  countRequest(route: string, status: number, durationMs: number): void;
  countSearch(measures: SearchMeasures): void;
  countBuild(): void;
  countLostWorker(): void;
  /** The Prometheus text format, and its content type. */
  collect(): Promise<{ text: string; contentType: string }>;
}

/** From a warm answer over loopback to a hostile cold one, in seconds. */
const SECONDS_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];
const TOOLS_BUCKETS = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000];

const STAGES = ['parse', 'index', 'rank'] as const;

/** Metrics in a registry of their own, so that several services can live in one process. */
export function createMetrics(state: MeteredState): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addStateMetrics(registry, state);
  const registers = [registry];

  const requests = new Counter({
    name: 'winnow_selector_requests_total',
    help: 'Answers by route and status.',
    labelNames: ['route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'winnow_selector_request_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: SECONDS_BUCKETS,
    registers,
  });
  const stageSeconds = new Histogram({
    name: 'winnow_selector_search_stage_seconds',
    help: 'Time that a search spent in each stage.',
    labelNames: ['stage', 'index'],
    buckets: SECONDS_BUCKETS,
    registers,
  });
  const tools = new Histogram({
    name: 'winnow_selector_search_tools',
    help: 'Tools in the catalogues that were searched.',
    buckets: TOOLS_BUCKETS,
    registers,
  });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const lookups = new Counter({
    name: 'winnow_selector_catalogue_lookups_total',
    help: 'Searches by whether their catalogue was at hand (hit) or had to be built (miss).',
    labelNames: ['result'],
    registers,
  });
  const noMatches = counter('winnow_selector_no_match_total', 'Searches in which no tool matched.');
  const builds = counter('winnow_selector_catalogue_builds_total', 'Catalogues that were indexed.');
  const lostWorkers = counter(
    'winnow_selector_build_workers_lost_total',
    'Build workers that ended of themselves.',
  );

  return {
    countRequest(route, status, durationMs) {
      requests.inc({ route, status });
      requestSeconds.observe({ route }, durationMs / 1_000);
    },
    countSearch(measures) {
      const times = [measures.parseMs, measures.indexMs, measures.rankMs];
      STAGES.forEach((stage, place) => {
        stageSeconds.observe({ stage, index: measures.index }, times[place]! / 1_000);
      });
      lookups.inc({ result: measures.index === 'cached' ? 'hit' : 'miss' });
      tools.observe(measures.tools);
      if (measures.isNoMatch) noMatches.inc();
    },
    countBuild: () => builds.inc(),
    countLostWorker: () => lostWorkers.inc(),
    collect: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}

function addStateMetrics(registry: Registry, { cache, admission, queuedBuilds }: MeteredState): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('winnow_selector_catalogues', 'Catalogues held.', () => cache.size);
  gauge('winnow_selector_catalogue_bytes', 'Memory of the catalogues held, in bytes.', () => cache.bytes);
  gauge('winnow_selector_waiting_requests', 'Searches being received or answered.', () => admission.waiting);
  gauge('winnow_selector_queued_builds', 'Builds that wait for a worker.', queuedBuilds);
  new Counter({
    name: 'winnow_selector_catalogue_evictions_total',
    help: 'Catalogues let go to make room.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(cache.evictions);
    },
  });
}
