import {
  type ExchangeRecord,
  estimateSavings,
  hasSavings,
  type Observation,
  type PriceTable,
  RestoreReason,
  SearchFailure,
  type SearchRecord,
  type ServerCost,
  type ToolCostTable,
  toolTokens,
  totalUsage,
} from '@winnow/core';
import { createMeaningMetrics, type SharedMeanings } from '@winnow/embeddings';
import {
  type BreakerState,
  type Measures,
  MetricsRegistry,
  serverAttributes,
  type WatchedEntry,
} from '@winnow/service';
import { rememberBy } from '@winnow/wire';
import { genAiError, genAiOperation } from './records/describe-record.ts';
import { STRATEGIES } from './strategies/index.ts';
import type { Upstream } from './upstream/choose-upstream.ts';
import { isGood } from './upstream/proxy-error.ts';
import { genAiProvider } from './upstream/send-upstream.ts';
import { VERSION } from './version.ts';

/** The state that is read when metrics are collected. */
export interface MeteredState {
  readonly breakerState: () => BreakerState;
  /** The state of the embedder; undefined without one. */
  readonly meanings: () => Pick<SharedMeanings, 'isFailing'> | undefined;
  readonly isSessionStoreUp: () => boolean;
  readonly openExchanges: () => number;
  /** Returns the costs of servers and tools since the start. */
  readonly toolCosts: () => ToolCostTable;
  /** Records lost so far, by destination. */
  readonly droppedRecords: () => DroppedRecords;
}

type DroppedRecords = Readonly<Record<'file' | 'stdout', number>>;

/** Bucket bounds in seconds, from planning a few tools to a selector that hangs. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const BREAKER_STATES: readonly BreakerState[] = ['closed', 'half_open', 'open'];
/** Constant strings: a new string for every record would have to be hashed. */
const STATUS_CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'];

/** Outcomes of searches that were sent; others say nothing about search time. */
const ASKED: ReadonlySet<SearchRecord['outcome']> = new Set([
  'found',
  'weak',
  'no_match',
  'api_error',
  'api_timeout',
  'empty_selection',
  'unknown_selection_names',
]);

/** Reasons for which an exchange falls back to the full set of tools. */
const FALLBACK_REASONS: ReadonlySet<string> = new Set([
  ...SearchFailure.exclude(['client_gone']).options,
  ...RestoreReason.options,
  'limit',
  'plan_failed',
]);

/** Counters and histograms with their buckets. Labels do not hold clients' texts: those of servers and models are the exceptions, and bounded. */
const MEASURES = {
  exchanges_total: {
    help: 'Exchanges in supported formats; the status is empty where the client got none.',
    labels: ['format', 'arm', 'plan', 'outcome', 'status'],
  },
  session_errors_total: { help: 'Failures of the session store.' },
  tools_total: { help: 'Tools of requests, by fate.', labels: ['arm', 'fate'] },
  estimated_tool_tokens_total: {
    help: 'Estimated tokens of tools without and with the proxy, in exchanges that ended with a 2xx response.',
    labels: ['arm', 'side'],
  },
  provider_tokens_total: {
    help: 'Tokens that providers reported, by billing category.',
    labels: ['arm', 'kind'],
  },
  estimated_cost_total: {
    help: 'Cost of exchanges that deferred, by list prices: actual cost, and lower and upper estimate of the cost without the proxy.',
    labels: ['bill', 'currency'],
  },
  searches_total: {
    help: 'Searches, by outcome.',
    labels: ['answered_by', 'asked_by', 'outcome'],
  },
  search_seconds: {
    help: 'Time of one search that was sent.',
    labels: ['answered_by', 'asked_by'],
    buckets: SECONDS,
  },
  fallbacks_total: {
    help: 'Exchanges that fell back to showing the model all tools.',
    labels: ['reason'],
    known: [...FALLBACK_REASONS],
  },
  observations_total: {
    help: 'Exchanges that were observed, in shadow by whether the model called a tool that it would not have found.',
    labels: ['arm', 'status', 'verdict'],
  },
  added_seconds: {
    help: "Time that the client waited for the proxy's own work.",
    labels: ['arm'],
    buckets: SECONDS,
  },
  unread_tool_requests_total: {
    help: 'Requests with tools on paths that no format handles.',
    labels: ['upstream'],
  },
} as const;

/** Creates metrics in a separate registry, so that several proxies can run in one process. */
export function createMetrics(prices: PriceTable, state: MeteredState) {
  const registry = new MetricsRegistry('proxy', VERSION);
  registry.watch({
    breaker_state: [
      "State of the selector's circuit breaker: 0 closed, 1 half open, 2 open.",
      () => BREAKER_STATES.indexOf(state.breakerState()),
    ],
    session_store_up: ['Whether the session store works: 1 or 0.', () => Number(state.isSessionStoreUp())],
    open_exchanges: ['Requests in progress, streams included.', state.openExchanges],
    ...serverMetrics(state.toolCosts),
    records_dropped_total: [
      'Records that were lost because they could not be written in time.',
      state.droppedRecords,
      'to',
    ],
  });
  createMeaningMetrics(registry, state.meanings);
  const measures = registry.add(MEASURES);
  let upstreams: ReadonlyMap<string, Upstream> = new Map();
  const countGenAi = genAiMetrics(registry, (name) => upstreams.get(name));
  return {
    count(record: ExchangeRecord) {
      for (const count of COUNTS) count(record, measures);
      countCost(record, measures, prices);
      countGenAi(record);
    },
    /** Takes the upstreams that records name from now on. */
    useUpstreams(held: ReadonlyMap<string, Upstream>) {
      upstreams = held;
    },
    /** Counts a request with tools on a path that no format handles. */
    countUnreadTools: (upstream: string) => measures.unread_tool_requests_total.inc({ upstream }),
    /** Starts the process metrics, which takes a few milliseconds. */
    watchProcess: () => registry.watchProcess(),
    /** Returns the Prometheus text format and its content type. */
    collect: () => registry.collect(),
  };
}

/** Counts one record in the metrics that it belongs to. */
type Count = (record: ExchangeRecord, measures: Measures<typeof MEASURES>) => void;

const countExchange: Count = (record, measures) => {
  const { format, arm, planReason: plan, outcome, sessionErrors } = record;
  const status = record.status === undefined ? '' : STATUS_CLASSES[Math.floor(record.status / 100)]!;
  measures.exchanges_total.inc({ format, arm, plan, outcome, status });
  measures.session_errors_total.inc({}, sessionErrors);
};

const countTools: Count = (record, measures) => {
  const { arm, toolBytes } = record;
  const { total, deferred, loaded } = record.tools;
  const { tools_total: tools, estimated_tool_tokens_total: tokens } = measures;
  tools.inc({ arm, fate: 'kept' }, total - deferred);
  tools.inc({ arm, fate: 'deferred' }, deferred);
  tools.inc({ arm, fate: 'loaded' }, loaded);
  // A client without a successful response retries the request: nothing was saved.
  if (!savesTokens(record)) return;
  tokens.inc({ arm, side: 'before' }, toolTokens(toolBytes.before));
  tokens.inc({ arm, side: 'after' }, toolTokens(toolBytes.after));
};

function savesTokens({ outcome, status = 0 }: ExchangeRecord): boolean {
  return outcome === 'answered' && isGood({ status });
}

const countTokens: Count = ({ arm, usage: rounds }, { provider_tokens_total: tokens }) => {
  const usage = totalUsage(rounds);
  if (usage === undefined) return;
  const { inputTokens, outputTokens, cachedInputTokens: cached = 0, cacheWriteTokens: written = 0 } = usage;
  tokens.inc({ arm, kind: 'plain' }, Math.max(0, inputTokens - cached - written));
  tokens.inc({ arm, kind: 'cached' }, cached);
  tokens.inc({ arm, kind: 'written' }, written);
  tokens.inc({ arm, kind: 'output' }, outputTokens);
};

/** Counts what an exchange cost, and what it would have cost without the proxy. */
function countCost(record: ExchangeRecord, measures: Measures<typeof MEASURES>, prices: PriceTable): void {
  if (!hasSavings(record) || !savesTokens(record)) return;
  const estimate = estimateSavings(record, prices);
  if (!estimate.ok) return;
  const { low, high } = estimate;
  const { currency } = prices;
  const cost = (bill: string, amount: number) =>
    measures.estimated_cost_total.inc({ bill, currency }, Math.max(0, amount));
  cost('spent', low.spent);
  cost('direct_low', low.spent + low.saved);
  cost('direct_high', high.spent + high.saved);
}

const countSearches: Count = ({ strategy, searches, observation }, measures) => {
  const answered_by = STRATEGIES[strategy].search ?? 'local';
  const asked_by = observation === undefined ? 'model' : 'observation';
  for (const { outcome, ms } of searches) {
    measures.searches_total.inc({ answered_by, asked_by, outcome });
    if (ASKED.has(outcome)) measures.search_seconds.observe({ answered_by, asked_by }, ms / 1_000);
  }
};

const countFallbacks: Count = ({ arm, searches, restoredBecause, planReason }, measures) => {
  if (arm !== 'full') return;
  const count = (reason: string | undefined) => {
    if (reason !== undefined && FALLBACK_REASONS.has(reason)) measures.fallbacks_total.inc({ reason });
  };
  if (searches.length === 0 && restoredBecause === undefined) return count(planReason);
  const reasons = [...searches.map(({ outcome }) => outcome), restoredBecause, planReason];
  for (const reason of new Set(reasons)) count(reason);
};

const countObservation: Count = ({ arm, observation }, measures) => {
  if (!observation) return;
  const { status } = observation;
  measures.observations_total.inc({ arm, status, verdict: verdictOf(observation) });
};

/** Returns the verdict of an observed response; empty where the calls are not known. */
function verdictOf({ called, wouldHaveMissed: missed }: Observation): '' | 'no_calls' | 'found' | 'missed' {
  if (!called || !missed) return '';
  if (called.length === 0) return 'no_calls';
  return missed.length === 0 ? 'found' : 'missed';
}

const countTimes: Count = ({ arm, addedMs }, { added_seconds: added }) =>
  added.observe({ arm }, addedMs / 1_000);

/** All counters, in order. */
const COUNTS = [
  countExchange,
  countTools,
  countTokens,
  countSearches,
  countFallbacks,
  countObservation,
  countTimes,
];

/** Maximum number of servers with their own label. */
const MOST_SERVERS = 50;

/** Returns metrics of what the tools of each MCP server cost. The label is a prefix of tool names, which clients write. */
function serverMetrics(table: () => ToolCostTable): Readonly<Record<string, WatchedEntry>> {
  const labels = new BoundedLabels(MOST_SERVERS);
  const sum = (read: (server: ServerCost) => number) => () => {
    const sums: Record<string, number> = {};
    for (const server of table().servers) {
      const label = server.server === '' ? 'none' : labels.labelOf(server.server);
      sums[label] = (sums[label] ?? 0) + read(server);
    }
    return sums;
  };
  return {
    server_tools: ['Tools of requests, by MCP server.', sum(({ tools }) => tools), 'server'],
    server_uncalled_tools: [
      'Tools of requests that were never called, by MCP server.',
      sum(({ uncalled }) => uncalled),
      'server',
    ],
    server_shown_tokens_total: [
      'Estimated tokens of definitions that were shown to models, by MCP server.',
      sum(({ shownTokens }) => shownTokens),
      'server',
    ],
  };
}

/** Maximum number of models with their own label. */
const MOST_MODELS = 100;

const LABELS = [
  'gen_ai_operation_name',
  'gen_ai_provider_name',
  'gen_ai_request_model',
  'server_address',
  'server_port',
] as const;

/**
 * Metrics of OpenTelemetry's semantic conventions, in Prometheus' form of their names, with the buckets that the
 * conventions advise.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-metrics.md
 */
const GEN_AI_MEASURES = {
  token_usage: {
    help: 'Tokens of one response of a provider, as the provider counts them.',
    labels: [...LABELS, 'gen_ai_token_type'],
    buckets: [
      1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
    ],
  },
  operation_duration_seconds: {
    help: 'Time from a request of a client to the end of its response, hidden rounds included.',
    labels: [...LABELS, 'error_type'],
    buckets: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  },
} as const;

/** Adds these metrics, and returns a function that counts a record in them. */
function genAiMetrics(
  registry: MetricsRegistry,
  upstreamOf: (name: string) => Upstream | undefined,
): (record: ExchangeRecord) => void {
  const measures = registry.add(GEN_AI_MEASURES, 'gen_ai_client');
  const models = new BoundedLabels(MOST_MODELS);
  return (record) => {
    const upstream = upstreamOf(record.upstream);
    // A model counts as known once its provider has answered for it: clients make up names.
    const isKnown = isGood({ status: record.status ?? 0 });
    const labels = {
      gen_ai_operation_name: genAiOperation(record),
      gen_ai_request_model: record.model === undefined ? '' : models.labelOf(record.model, isKnown),
      ...(upstream ? serverLabels(upstream) : NO_SERVER),
    };
    const error_type = genAiError(record) ?? '';
    measures.operation_duration_seconds.observe({ ...labels, error_type }, record.totalMs / 1_000);
    for (const { inputTokens, outputTokens } of record.usage ?? []) {
      measures.token_usage.observe({ ...labels, gen_ai_token_type: 'input' }, inputTokens);
      measures.token_usage.observe({ ...labels, gen_ai_token_type: 'output' }, outputTokens);
    }
  };
}

const NO_SERVER = { gen_ai_provider_name: '', server_address: '', server_port: '0' };

const serverLabels = rememberBy((upstream: Upstream): typeof NO_SERVER => {
  const { 'server.address': address, 'server.port': port } = serverAttributes(upstream.origin);
  return {
    gen_ai_provider_name: genAiProvider(upstream),
    server_address: String(address),
    server_port: String(port),
  };
});

/** Characters of the names of models and servers. Other texts do not become labels. */
const NAME = /^[\w.:/@+-]{1,100}$/;

/**
 * Turns texts of clients into values of a metric's label: the first ones keep their text, all others become
 * `other`. So a client that invents names cannot fill the memory of the process or of the metrics collector.
 */
class BoundedLabels {
  readonly #known = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the value for a text; a text that is not `trusted` gets no new value, but may already have one. */
  labelOf(text: string, trusted = true): string {
    if (this.#known.has(text)) return text;
    if (!trusted || this.#known.size >= this.#most || !NAME.test(text)) return 'other';
    this.#known.add(text);
    return text;
  }
}
