import { REGISTRY_ERRORS } from '@winnow/core';
import { createMeaningMetrics, type SharedMeanings } from '@winnow/embeddings';
import { CALL_OUTCOMES } from '@winnow/mcp';
import { createExchangeMetrics, MetricsRegistry } from '@winnow/service';
import { VERSION } from './version.ts';

/** The state that is read when metrics are collected. All are sums over all tenants. */
export interface MeteredState {
  readonly tools: () => number;
  /** Open streams of changes. */
  readonly followers: () => number;
  /** MCP servers in some state. */
  readonly mcpServers: (status: string) => number;
  /** The state of the embedder; undefined without one. */
  readonly meanings: () => Pick<SharedMeanings, 'isFailing'> | undefined;
  readonly waiting: () => number;
  /** Bytes of bodies. */
  readonly heldBytes: () => number;
}

/** From a search in memory to a large batch on a slow disk, in seconds. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Counters, and histograms with their buckets. */
const MEASURES = {
  search_seconds: { help: 'Time that a search took, without receiving and writing.', buckets: SECONDS },
  mcp_calls_total: {
    help: 'Tool calls for MCP clients, by outcome.',
    labels: ['outcome'],
    known: CALL_OUTCOMES,
  },
} as const;

/** The service's measures. Every name is explained in `docs/operations/metrics.md`. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics in a separate registry, so that several services can run in one process. */
export function createMetrics(state: MeteredState) {
  const registry = new MetricsRegistry('registry', VERSION);
  registry.watchProcess();
  registry.watch({
    tools: ['Tools that are registered.', state.tools],
    followers: ['Open streams of changes.', state.followers],
    mcp_servers_down: ['MCP servers that could not be reached or read.', () => state.mcpServers('down')],
  });
  createMeaningMetrics(registry, state.meanings);
  const measures = registry.add(MEASURES);
  return {
    ...createExchangeMetrics(registry, {
      codes: Object.keys(REGISTRY_ERRORS),
      secondsBuckets: SECONDS,
      ...state,
    }),
    countSearch: (durationMs: number) => measures.search_seconds.observe({}, durationMs / 1_000),
    /** Counts a call of a tool for an MCP client. */
    countMcpCall: (outcome: string) => measures.mcp_calls_total.inc({ outcome }),
    /** The Prometheus text format, and its content type. */
    collect: () => registry.collect(),
  };
}
