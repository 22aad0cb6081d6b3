import { REGISTRY_ERRORS } from '@winnow/contract';
import { EMBEDDING_FAILURES, type EmbeddingFailure, type SharedMeanings } from '@winnow/embeddings';
import { CALL_OUTCOMES } from '@winnow/mcp';
import { type CollectedMetrics, createExchangeMetrics, MetricsRegistry } from '@winnow/service';
import { VERSION } from './version.ts';

/** What is read when metrics are collected. Sums over all tenants: no metric tells of one. */
export interface MeteredState {
  readonly tools: () => number;
  readonly indexBytes: () => number;
  /** Those who follow changes. */
  readonly followers: () => number;
  /** MCP servers in some state. */
  readonly mcpServers: (status: string) => number;
  /** Calls of tools for MCP clients that are running. */
  readonly mcpCalls: () => number;
  /** MCP clients that are told when the list of tools changes. */
  readonly mcpSubscriptions: () => number;
  /** Vectors that are kept; undefined without an embedder. */
  readonly meanings: () => Pick<SharedMeanings, 'size' | 'bytes' | 'isFailing'> | undefined;
  readonly waiting: () => number;
  /** Bytes of bodies. */
  readonly heldBytes: () => number;
  /** Log lines that could not be written so far. */
  readonly lostLines: () => number;
}

/** The service's measures. Every name is explained in `docs/reference/registry-settings.md`. */
export interface Metrics {
  countRequest(route: string, status: number, durationMs: number): void;
  /** Why a request got an error. */
  countRefusal(code: string): void;
  countSearch(search: { searchType: string; cache: string; isNoMatch: boolean; durationMs: number }): void;
  /** A search that the built-in searcher had to answer. */
  countDegraded(reason: string): void;
  /** Vectors have stopped coming. */
  countEmbedderFailure(reason: EmbeddingFailure): void;
  /** One event of a change of content, the first of its change or a further one. */
  countEvent(isFirst: boolean): void;
  /** A call of a tool for an MCP client. */
  countMcpCall(call: { outcome: string; durationMs: number; resultChars: number }): void;
  /** Followers that read too slowly. */
  countLostFollower(): void;
  /** MCP clients that read their responses too slowly. */
  countLostReader(): void;
  /** One reading of an MCP server's list: `ok`, or why it failed. */
  countRefresh(outcome: string, durationMs: number): void;
  /** The Prometheus text format, and its content type. */
  collect(): Promise<CollectedMetrics>;
}

/** From a search in memory to a large batch on a slow disk, in seconds. */
const SECONDS_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Metrics in a registry of their own, so that several services can live in one process. */
export function createMetrics(state: MeteredState): Metrics {
  const registry = new MetricsRegistry('winnow_registry', VERSION);
  registry.watchProcess();
  registry.gauge('winnow_registry_tools', 'Tools that are registered.', state.tools);
  registry.gauge('winnow_registry_index_bytes', 'Memory of the indexes, in bytes.', state.indexBytes);
  registry.gauge('winnow_registry_followers', 'Open streams of changes.', state.followers);
  registry.gauge(
    'winnow_registry_mcp_calls',
    'Calls of tools for MCP clients that are running.',
    state.mcpCalls,
  );
  registry.gauge(
    'winnow_registry_mcp_subscriptions',
    'MCP clients that are told when the list of tools changes.',
    state.mcpSubscriptions,
  );

  const exchanges = createExchangeMetrics(registry, 'winnow_registry', {
    codes: Object.keys(REGISTRY_ERRORS),
    secondsBuckets: SECONDS_BUCKETS,
    ...state,
  });
  const searches = registry.counter(
    'winnow_registry_searches_total',
    'Searches by how they were read and whether their result was kept.',
    ['search_type', 'cache'],
  );
  const searchSeconds = registry.histogram(
    'winnow_registry_search_seconds',
    'Time that a search took, without receiving and writing.',
    SECONDS_BUCKETS,
  );
  const noMatches = registry.counter('winnow_registry_no_match_total', 'Searches in which no tool matched.');
  const degraded = registry.counter(
    'winnow_registry_degraded_total',
    'Searches that the built-in searcher had to answer, by what became of the other.',
    ['reason'],
  );
  const changes = registry.counter('winnow_registry_changes_total', 'Changes of content.');
  const events = registry.counter('winnow_registry_events_total', 'Events in changes of content.');
  const mcpCalls = registry.counter(
    'winnow_registry_mcp_calls_total',
    'Calls of tools for MCP clients, by what became of them.',
    ['outcome'],
  );
  for (const outcome of CALL_OUTCOMES) mcpCalls.inc({ outcome }, 0);
  const mcpCallSeconds = registry.histogram(
    'winnow_registry_mcp_call_seconds',
    'Time of a call of a tool for an MCP client, with the time that its server takes.',
    SECONDS_BUCKETS,
  );
  const mcpResultChars = registry.counter(
    'winnow_registry_mcp_result_chars_total',
    'Characters of results that MCP servers gave, as JSON.',
  );
  registry.gauge('winnow_registry_mcp_servers_up', 'MCP servers whose list was read.', () =>
    state.mcpServers('up'),
  );
  registry.gauge('winnow_registry_mcp_servers_down', 'MCP servers that could not be reached or read.', () =>
    state.mcpServers('down'),
  );
  const refreshes = registry.counter(
    'winnow_registry_mcp_refreshes_total',
    'Readings of the lists of MCP servers, by what became of them.',
    ['outcome'],
  );
  refreshes.inc({ outcome: 'ok' }, 0);
  const refreshSeconds = registry.histogram(
    'winnow_registry_mcp_refresh_seconds',
    'Time of reading the list of an MCP server, with connecting to it.',
    SECONDS_BUCKETS,
  );
  registry.gauge('winnow_registry_vectors', 'Vectors held.', () => state.meanings()?.size ?? 0);
  registry.gauge(
    'winnow_registry_vector_bytes',
    'Memory of the vectors held, in bytes.',
    () => state.meanings()?.bytes ?? 0,
  );
  registry.gauge('winnow_registry_embedder_failing', '1 while vectors do not come.', () =>
    state.meanings()?.isFailing ? 1 : 0,
  );
  const embedderFailures = registry.counter(
    'winnow_registry_embedder_failures_total',
    'How often vectors have stopped coming, by why.',
    ['reason'],
  );
  for (const reason of Object.keys(EMBEDDING_FAILURES)) embedderFailures.inc({ reason }, 0);
  const lostFollowers = registry.counter(
    'winnow_registry_followers_lost_total',
    'Streams of changes that were cut off because nobody read them.',
  );
  const lostReaders = registry.counter(
    'winnow_registry_mcp_readers_lost_total',
    'Responses to MCP clients that were cut off because nobody read them.',
  );

  return {
    ...exchanges,
    countRefresh(outcome, durationMs) {
      refreshes.inc({ outcome });
      refreshSeconds.observe({}, durationMs / 1_000);
    },
    countSearch({ searchType, cache, isNoMatch, durationMs }) {
      searches.inc({ search_type: searchType, cache });
      searchSeconds.observe({}, durationMs / 1_000);
      if (isNoMatch) noMatches.inc({});
    },
    countEmbedderFailure: (reason) => embedderFailures.inc({ reason }),
    countDegraded: (reason) => degraded.inc({ reason }),
    countEvent(isFirst) {
      events.inc({});
      if (isFirst) changes.inc({});
    },
    countMcpCall({ outcome, durationMs, resultChars }) {
      mcpCalls.inc({ outcome });
      mcpCallSeconds.observe({}, durationMs / 1_000);
      mcpResultChars.inc({}, resultChars);
    },
    countLostFollower: () => lostFollowers.inc({}),
    countLostReader: () => lostReaders.inc({}),
    collect: () => registry.collect(),
  };
}
