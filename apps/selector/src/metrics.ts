import { ERRORS, type ErrorCode } from '@winnow/contract';
import { EMBEDDING_FAILURES, type EmbeddingFailure } from '@winnow/embeddings';
import { REGISTRY_FAILURES, type RegistryFailureReason, type RegistryStatus } from '@winnow/registry-client';
import { type CollectedMetrics, createExchangeMetrics, MetricsRegistry } from '@winnow/service';
import { VERSION } from './version.ts';

/** What is read when metrics are collected. */
export interface MeteredState {
  readonly cache: { readonly size: number; readonly bytes: number; readonly evictions: number };
  readonly admission: { readonly waiting: number };
  /** Builds that wait for a worker. */
  readonly queuedBuilds: () => number;
  /** Bytes of bodies. */
  readonly bodyMemory: { readonly held: number };
  /** Log lines that could not be written so far. */
  readonly lostLines: () => number;
  /** How it stands with the registry; undefined when none is followed. */
  readonly registryStatus: () => RegistryStatus | undefined;
  /** Vectors that are kept; undefined without an embedder. */
  readonly meanings: () =>
    | { readonly size: number; readonly bytes: number; readonly isFailing: boolean }
    | undefined;
}

/** What one answered search adds to the metrics. Times are in milliseconds. */
export interface SearchMeasures {
  readonly index: 'built' | 'cached';
  readonly parseMs: number;
  readonly indexMs: number;
  readonly rankMs: number;
  readonly tools: number;
  readonly isNoMatch: boolean;
  /** Whether meaning was known in full, or in part; undefined when it was not looked at. */
  readonly meaning: 'used' | 'degraded' | undefined;
}

/** The service's measures. Every name is explained in `docs/reference/selector.md`. */
export interface Metrics {
  countRequest(route: string, status: number, durationMs: number): void;
  /** Why a request got an error. */
  countRefusal(code: ErrorCode): void;
  /** The decoded body of a search is there. */
  countBody(bytes: number): void;
  countSearch(measures: SearchMeasures): void;
  countBuild(durationMs: number): void;
  countLostWorker(): void;
  /** All tools of the registry were read. */
  countListing(): void;
  /** Following the registry has failed, or ended. */
  countRegistryFailure(reason: RegistryFailureReason): void;
  /** Vectors have stopped coming. */
  countEmbedderFailure(reason: EmbeddingFailure): void;
  /** The Prometheus text format, and its content type. */
  collect(): Promise<CollectedMetrics>;
}

/** From a warm response over loopback to a hostile cold one, in seconds. */
const SECONDS_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];
const BYTES_BUCKETS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536].map((size) => size * 1_024);
const TOOLS_BUCKETS = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000];

const STAGES = ['parse', 'index', 'rank'] as const;

/** Metrics in a registry of their own, so that several services can live in one process. */
export function createMetrics(state: MeteredState): Metrics {
  const registry = new MetricsRegistry('winnow_selector', VERSION);
  registry.watchProcess();
  addStateMetrics(registry, state);

  const exchanges = createExchangeMetrics(registry, 'winnow_selector', {
    codes: Object.keys(ERRORS),
    secondsBuckets: SECONDS_BUCKETS,
    waiting: () => state.admission.waiting,
    heldBytes: () => state.bodyMemory.held,
    lostLines: state.lostLines,
  });
  const stageSeconds = registry.histogram(
    'winnow_selector_search_stage_seconds',
    'Time that a search spent in each stage.',
    SECONDS_BUCKETS,
    ['stage', 'index'],
  );
  const tools = registry.histogram(
    'winnow_selector_search_tools',
    'Tools in the catalogues that were searched.',
    TOOLS_BUCKETS,
  );
  const lookups = registry.counter(
    'winnow_selector_catalogue_lookups_total',
    'Searches by whether their catalogue was at hand (hit) or had to be built (miss).',
    ['result'],
  );
  const noMatches = registry.counter('winnow_selector_no_match_total', 'Searches in which no tool matched.');
  const builds = registry.counter('winnow_selector_catalogue_builds_total', 'Catalogues that were indexed.');
  const buildSeconds = registry.histogram(
    'winnow_selector_catalogue_build_seconds',
    'Time to parse and index a catalogue, without waiting for a worker.',
    SECONDS_BUCKETS,
  );
  const bodyBytes = registry.histogram(
    'winnow_selector_search_body_bytes',
    'Bytes of the bodies of searches, decompressed.',
    BYTES_BUCKETS,
  );
  const lostWorkers = registry.counter(
    'winnow_selector_build_workers_lost_total',
    'Build workers that ended of themselves.',
  );
  const listings = registry.counter(
    'winnow_selector_registry_listings_total',
    'Times that all tools of the registry were read.',
  );
  const failures = registry.counter(
    'winnow_selector_registry_failures_total',
    'Times that following the registry failed or ended, by the reason.',
    ['reason'],
  );
  for (const reason of REGISTRY_FAILURES) failures.inc({ reason }, 0);

  const meaningSearches = registry.counter(
    'winnow_selector_meaning_searches_total',
    'Searches that ordered by meaning too, by whether all of it was known in time (used) or not (degraded).',
    ['result'],
  );
  for (const result of ['used', 'degraded']) meaningSearches.inc({ result }, 0);
  const embedderFailures = registry.counter(
    'winnow_selector_embedder_failures_total',
    'Times that vectors stopped coming, by the reason.',
    ['reason'],
  );
  for (const reason of Object.keys(EMBEDDING_FAILURES)) embedderFailures.inc({ reason }, 0);

  return {
    ...exchanges,
    countSearch(measures) {
      const times = [measures.parseMs, measures.indexMs, measures.rankMs];
      STAGES.forEach((stage, place) => {
        stageSeconds.observe({ stage, index: measures.index }, times[place]! / 1_000);
      });
      lookups.inc({ result: measures.index === 'cached' ? 'hit' : 'miss' });
      tools.observe({}, measures.tools);
      if (measures.isNoMatch) noMatches.inc({});
      if (measures.meaning !== undefined) meaningSearches.inc({ result: measures.meaning });
    },
    countBody: (bytes) => bodyBytes.observe({}, bytes),
    countBuild(durationMs) {
      builds.inc({});
      buildSeconds.observe({}, durationMs / 1_000);
    },
    countLostWorker: () => lostWorkers.inc({}),
    countListing: () => listings.inc({}),
    countRegistryFailure: (reason) => failures.inc({ reason }),
    countEmbedderFailure: (reason) => embedderFailures.inc({ reason }),
    collect: () => registry.collect(),
  };
}

function addStateMetrics(registry: MetricsRegistry, state: MeteredState): void {
  const { cache, queuedBuilds, registryStatus, meanings } = state;
  registry.gauge('winnow_selector_catalogues', 'Catalogues held.', () => cache.size);
  registry.gauge(
    'winnow_selector_catalogue_bytes',
    'Memory of the catalogues held, in bytes.',
    () => cache.bytes,
  );
  registry.gauge('winnow_selector_queued_builds', 'Builds that wait for a worker.', queuedBuilds);
  registry.gauge(
    'winnow_selector_registry_tools',
    'Tools of the registry that is followed.',
    () => registryStatus()?.tools ?? 0,
  );
  registry.gauge(
    'winnow_selector_registry_version',
    'Version of the content of the registry that is searched.',
    () => registryStatus()?.version ?? 0,
  );
  registry.gauge(
    'winnow_selector_registry_away_seconds',
    'For how long the registry could not be followed; 0 while it is.',
    () => (registryStatus()?.awayMs ?? 0) / 1_000,
  );
  registry.gauge('winnow_selector_vectors', 'Vectors held.', () => meanings()?.size ?? 0);
  registry.gauge(
    'winnow_selector_vector_bytes',
    'Memory of the vectors held, in bytes.',
    () => meanings()?.bytes ?? 0,
  );
  registry.gauge('winnow_selector_embedder_failing', '1 while vectors do not come.', () =>
    meanings()?.isFailing ? 1 : 0,
  );
  registry.total(
    'winnow_selector_catalogue_evictions_total',
    'Catalogues let go to make room.',
    () => cache.evictions,
  );
}
