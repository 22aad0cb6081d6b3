import { createFollowerMetrics, type RegistryStatus } from '@winnow/clients';
import { ERRORS } from '@winnow/core';
import { createMeaningMetrics, type SharedMeanings } from '@winnow/embeddings';
import { createExchangeMetrics, MetricsRegistry } from '@winnow/service';
import { VERSION } from './version.ts';

/** The state that is read when metrics are collected. */
export interface MeteredState {
  readonly waiting: () => number;
  /** Bytes of bodies in memory. */
  readonly heldBytes: () => number;
  /** State of the followed registry; undefined without one. */
  readonly registryStatus: () => RegistryStatus | undefined;
  /** The state of the embedder; undefined without one. */
  readonly meanings: () => Pick<SharedMeanings, 'isFailing'> | undefined;
}

/** Measurements of one search. Times are in milliseconds. */
export interface SearchMeasures {
  readonly index: 'built' | 'cached';
  readonly parseMs: number;
  readonly indexMs: number;
  readonly rankMs: number;
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
  catalogue_lookups_total: {
    help: 'Searches, by whether their catalogue was cached (hit) or had to be built (miss).',
    labels: ['result'],
  },
  catalogue_builds_total: { help: 'Catalogues that were indexed.' },
} as const;

/** The service's metrics. `docs/operations/metrics.md` explains each name. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Creates metrics in their own registry, so that several services can share a process. */
export function createMetrics(state: MeteredState) {
  const { registryStatus, meanings } = state;
  const registry = new MetricsRegistry('selector', VERSION);
  registry.watchProcess();
  createMeaningMetrics(registry, meanings);
  createFollowerMetrics(registry, registryStatus);
  const measures = registry.add(MEASURES);
  return {
    ...createExchangeMetrics(registry, {
      codes: Object.keys(ERRORS),
      secondsBuckets: SECONDS,
      ...state,
    }),
    countSearch({ index, parseMs, indexMs, rankMs }: SearchMeasures) {
      const stages = Object.entries({ parse: parseMs, index: indexMs, rank: rankMs });
      for (const [stage, ms] of stages) measures.search_stage_seconds.observe({ stage, index }, ms / 1_000);
      measures.catalogue_lookups_total.inc({ result: index === 'cached' ? 'hit' : 'miss' });
    },
    countBuild: () => measures.catalogue_builds_total.inc({}),
    /** Returns the metrics in the Prometheus text format, and its content type. */
    collect: () => registry.collect(),
  };
}
