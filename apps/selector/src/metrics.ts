import { createFollowerMetrics, type RegistryStatus } from '@winnow/clients';
import { ERRORS } from '@winnow/core';
import { createMeaningMetrics, type MeaningMeters } from '@winnow/embeddings';
import type { Certainty } from '@winnow/ranking';
import { createExchangeMetrics, MetricsRegistry } from '@winnow/service';
import { VERSION } from './version.ts';

/** The state that is read when metrics are collected. */
export interface MeteredState {
  readonly catalogues: { readonly size: number; readonly bytes: number; readonly evictions: number };
  readonly waiting: () => number;
  /** Bytes of bodies in memory. */
  readonly heldBytes: () => number;
  /** Number of log lines that could not be written. */
  readonly lostLines: () => number;
  /** State of the followed registry; undefined without one. */
  readonly registryStatus: () => RegistryStatus | undefined;
  /** Vectors held; undefined without an embedder. */
  readonly meanings: () => MeaningMeters | undefined;
}

/** Measurements of one search. Times are in milliseconds. */
export interface SearchMeasures {
  readonly index: 'built' | 'cached';
  readonly parseMs: number;
  readonly indexMs: number;
  readonly rankMs: number;
  readonly tools: number;
  readonly selection: { readonly certainty: Certainty };
  /** Whether all vectors were available, or only some; undefined if meaning was not requested. */
  readonly meaning: 'used' | 'degraded' | undefined;
}

/** Buckets from a warm response over loopback to a hostile cold one, in seconds. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Counters, and histograms with their buckets. */
const MEASURES = {
  search_stage_seconds: {
    help: 'Time that a search spent in each stage.',
    labels: ['stage', 'index'],
    buckets: SECONDS,
  },
  search_tools: {
    help: 'Tools in the catalogues that were searched.',
    buckets: [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000],
  },
  catalogue_lookups_total: {
    help: 'Searches, by whether their catalogue was cached (hit) or had to be built (miss).',
    labels: ['result'],
  },
  no_match_total: { help: 'Searches in which no tool matched.' },
  weak_total: { help: 'Searches in which no tool matched clearly.' },
  catalogue_builds_total: { help: 'Catalogues that were indexed.' },
  catalogue_build_seconds: {
    help: 'Time to index a catalogue.',
    buckets: SECONDS,
  },
  search_body_bytes: {
    help: 'Bytes of the bodies of searches, decompressed.',
    buckets: [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536].map((size) => size * 1_024),
  },
  registry_listings_total: { help: 'Readings of all tools of the registry.' },
  meaning_searches_total: {
    help: 'Searches that also ordered by meaning, by whether all vectors were known in time (used) or not (degraded).',
    labels: ['result'],
    known: ['used', 'degraded'],
  },
} as const;

/** The service's metrics. `docs/reference/selector.md` explains each name. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Creates metrics in their own registry, so that several services can share a process. */
export function createMetrics(state: MeteredState) {
  const { catalogues, registryStatus, meanings } = state;
  const registry = new MetricsRegistry('winnow_selector', VERSION);
  registry.watchProcess();
  registry.watch({
    catalogues: ['Catalogues held.', () => catalogues.size],
    catalogue_bytes: ['Memory of the catalogues held, in bytes.', () => catalogues.bytes],
    catalogue_evictions_total: ['Catalogues evicted to make room.', () => catalogues.evictions],
    registry_version: [
      'Version of the content of the registry that is searched.',
      () => registryStatus()?.version ?? 0,
    ],
  });
  const measures = registry.add(MEASURES);
  return {
    ...createExchangeMetrics(registry, {
      codes: Object.keys(ERRORS),
      secondsBuckets: SECONDS,
      ...state,
    }),
    ...createFollowerMetrics(registry, registryStatus),
    ...createMeaningMetrics(registry, meanings),
    countSearch({ index, parseMs, indexMs, rankMs, tools, selection, meaning }: SearchMeasures) {
      const stages = Object.entries({ parse: parseMs, index: indexMs, rank: rankMs });
      for (const [stage, ms] of stages) measures.search_stage_seconds.observe({ stage, index }, ms / 1_000);
      measures.catalogue_lookups_total.inc({ result: index === 'cached' ? 'hit' : 'miss' });
      measures.search_tools.observe({}, tools);
      if (selection.certainty === 'none') measures.no_match_total.inc({});
      if (selection.certainty === 'weak') measures.weak_total.inc({});
      if (meaning !== undefined) measures.meaning_searches_total.inc({ result: meaning });
    },
    /** Counts the decoded body of a search. */
    countBody: (bytes: number) => measures.search_body_bytes.observe({}, bytes),
    countBuild(durationMs: number) {
      measures.catalogue_builds_total.inc({});
      measures.catalogue_build_seconds.observe({}, durationMs / 1_000);
    },
    /** Counts a complete listing of the registry's tools. */
    countListing: () => measures.registry_listings_total.inc({}),
    /** Returns the metrics in the Prometheus text format, and its content type. */
    collect: () => registry.collect(),
  };
}
