import { REGISTRY_ERRORS } from '@winnow/core';
import { createMeaningMetrics, type MeaningMeters } from '@winnow/embeddings';
import { CALL_OUTCOMES } from '@winnow/mcp';
import type { SearchPage } from '@winnow/registry';
import { createExchangeMetrics, MetricsRegistry } from '@winnow/service';
import { VERSION } from './version.ts';

/** The state that is read when metrics are collected. All are sums over all tenants. */
export interface MeteredState {
  readonly tools: () => number;
  readonly indexBytes: () => number;
  /** Open streams of changes. */
  readonly followers: () => number;
  /** MCP servers in some state. */
  readonly mcpServers: (status: string) => number;
  /** Running tool calls for MCP clients. */
  readonly mcpCalls: () => number;
  /** MCP clients that are notified when the list of tools changes. */
  readonly mcpSubscriptions: () => number;
  /** Vectors that are kept; undefined without an embedder. */
  readonly meanings: () => MeaningMeters | undefined;
  readonly waiting: () => number;
  /** Bytes of bodies. */
  readonly heldBytes: () => number;
  /** Log lines that could not be written so far. */
  readonly lostLines: () => number;
}

/** From a search in memory to a large batch on a slow disk, in seconds. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Counters, and histograms with their buckets. */
const MEASURES = {
  searches_total: {
    help: 'Searches, by interpretation of the query and by whether a kept result was used.',
    labels: ['search_type', 'cache'],
  },
  search_seconds: { help: 'Time that a search took, without receiving and writing.', buckets: SECONDS },
  no_match_total: { help: 'Searches in which no tool matched.' },
  weak_total: { help: 'Searches in which no tool matched clearly.' },
  degraded_total: {
    help: 'Searches that the built-in searcher had to answer, by the failure of the other.',
    labels: ['reason'],
  },
  changes_total: { help: 'Changes of content.' },
  events_total: { help: 'Events in changes of content.' },
  mcp_calls_total: {
    help: 'Tool calls for MCP clients, by outcome.',
    labels: ['outcome'],
    known: CALL_OUTCOMES,
  },
  mcp_call_seconds: {
    help: "Time of a tool call for an MCP client, including its server's time.",
    buckets: SECONDS,
  },
  mcp_result_chars_total: { help: 'Characters of results from MCP servers, as JSON.' },
  mcp_refreshes_total: {
    help: 'Readings of the lists of MCP servers, by outcome.',
    labels: ['outcome'],
    known: ['ok'],
  },
  mcp_refresh_seconds: {
    help: 'Time of reading the list of an MCP server, including connecting.',
    buckets: SECONDS,
  },
  followers_lost_total: { help: 'Streams of changes that were cut off because their reader was too slow.' },
  mcp_readers_lost_total: {
    help: 'Responses to MCP clients that were cut off because their reader was too slow.',
  },
} as const;

/** The service's measures. Every name is explained in `docs/operations/metrics.md`. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics in a separate registry, so that several services can run in one process. */
export function createMetrics(state: MeteredState) {
  const registry = new MetricsRegistry('winnow_registry', VERSION);
  registry.watchProcess();
  registry.watch({
    tools: ['Tools that are registered.', state.tools],
    index_bytes: ['Memory of the indexes, in bytes.', state.indexBytes],
    followers: ['Open streams of changes.', state.followers],
    mcp_calls: ['Running tool calls for MCP clients.', state.mcpCalls],
    mcp_subscriptions: [
      'MCP clients that are notified when the list of tools changes.',
      state.mcpSubscriptions,
    ],
    mcp_servers_up: ['MCP servers whose list was read.', () => state.mcpServers('up')],
    mcp_servers_down: ['MCP servers that could not be reached or read.', () => state.mcpServers('down')],
  });
  const measures = registry.add(MEASURES);
  return {
    ...createExchangeMetrics(registry, {
      codes: Object.keys(REGISTRY_ERRORS),
      secondsBuckets: SECONDS,
      ...state,
    }),
    ...createMeaningMetrics(registry, state.meanings),
    /** Counts a reading of an MCP server's list: `ok`, or why it failed. */
    countRefresh(outcome: string, durationMs: number) {
      measures.mcp_refreshes_total.inc({ outcome });
      measures.mcp_refresh_seconds.observe({}, durationMs / 1_000);
    },
    countSearch(search: Pick<SearchPage, 'searchType' | 'cache' | 'certainty'> & { durationMs: number }) {
      measures.searches_total.inc({ search_type: search.searchType, cache: search.cache });
      measures.search_seconds.observe({}, search.durationMs / 1_000);
      if (search.certainty === 'none') measures.no_match_total.inc({});
      if (search.certainty === 'weak') measures.weak_total.inc({});
    },
    /** Counts a search that the built-in searcher had to answer. */
    countDegraded: (reason: string) => measures.degraded_total.inc({ reason }),
    /** Counts one event of a change of content, the first of its change or a further one. */
    countEvent(isFirst: boolean) {
      measures.events_total.inc({});
      if (isFirst) measures.changes_total.inc({});
    },
    /** Counts a call of a tool for an MCP client. */
    countMcpCall(call: { outcome: string; durationMs: number; resultChars: number }) {
      measures.mcp_calls_total.inc({ outcome: call.outcome });
      measures.mcp_call_seconds.observe({}, call.durationMs / 1_000);
      measures.mcp_result_chars_total.inc({}, call.resultChars);
    },
    /** Counts a follower that read too slowly. */
    countLostFollower: () => measures.followers_lost_total.inc({}),
    /** Counts an MCP client that read its responses too slowly. */
    countLostReader: () => measures.mcp_readers_lost_total.inc({}),
    /** The Prometheus text format, and its content type. */
    collect: () => registry.collect(),
  };
}
