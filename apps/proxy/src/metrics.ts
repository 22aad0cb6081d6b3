import { type ExchangeRecord, RestoreReason, SearchFailure, type SearchRecord } from '@winnow/contract';
import { EMBEDDING_FAILURES, type EmbeddingFailure, type SharedMeanings } from '@winnow/embeddings';
import { type BreakerState, type CollectedMetrics, MetricsRegistry } from '@winnow/service';
import { isGood } from './http/is-good.ts';
import { countOffers } from './offer/count-offers.ts';
import { STRATEGIES } from './strategies/index.ts';
import { VERSION } from './version.ts';

/** What is read when metrics are collected. */
export interface MeteredState {
  readonly breakerState: () => BreakerState;
  /** Of the searches of exchanges; undefined without meaning. */
  readonly meaning: () => Pick<SharedMeanings, 'size' | 'bytes' | 'isFailing'> | undefined;
  readonly sessions: () => number;
  readonly isSessionStoreUp: () => boolean;
  readonly openExchanges: () => number;
  readonly openStreams: () => number;
  /** Records that were lost so far, by where they should have gone. */
  readonly droppedRecords: () => DroppedRecords;
}

export type DroppedRecords = Readonly<Record<'file' | 'stdout', number>>;

/** The proxy's measures. Every name is explained in `docs/reference/proxy.md`. */
export interface Metrics {
  count(record: ExchangeRecord): void;
  /** Counts a request with tools on a path that no format handles. */
  countUnreadTools(upstream: string): void;
  countEmbedderFailure(reason: EmbeddingFailure): void;
  /** Begins to measure the process itself, which takes a few milliseconds at once. */
  watchProcess(): void;
  /** The Prometheus text format, and its content type. */
  collect(): Promise<CollectedMetrics>;
}

/** From a plan for a few tools to a selector that hangs, in seconds. */
const SECONDS_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** Hidden rounds take the model's time. */
const ROUND_SECONDS_BUCKETS = [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300];
/** Tools that searches load: a few are found, all of them are shown when a search fails. */
const TOOLS_BUCKETS = [0, 1, 2, 3, 5, 10, 25, 50, 100, 250, 1_000];
/** An exchange without searches makes one request, one that searches to the limit and is restored eight. */
const CALLS_BUCKETS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const BREAKER_STATES: readonly BreakerState[] = ['closed', 'half_open', 'open'];

/** Metrics in a registry of their own, so that several proxies can live in one process. */
export function createMetrics(state: MeteredState): Metrics {
  const registry = new MetricsRegistry('winnow_proxy', VERSION);
  addStateMetrics(registry, state);
  const counts = [
    countExchanges,
    countTools,
    countSearches,
    countFallbacks,
    countObservations,
    countTimes,
    countOffers,
  ].map((add) => add(registry));
  const unreadTools = registry.counter(
    'winnow_proxy_unread_tool_requests_total',
    'Requests with tools on paths that no format handles.',
    ['upstream'],
  );
  const embedderFailures = registry.counter(
    'winnow_proxy_embedder_failures_total',
    'Times that vectors stopped coming, by the reason.',
    ['reason'],
  );
  for (const reason of Object.keys(EMBEDDING_FAILURES)) embedderFailures.inc({ reason }, 0);
  return {
    count(record) {
      for (const count of counts) count(record);
    },
    countUnreadTools: (upstream) => unreadTools.inc({ upstream }),
    countEmbedderFailure: (reason) => embedderFailures.inc({ reason }),
    watchProcess: () => registry.watchProcess(),
    collect: () => registry.collect(),
  };
}

/** A string that is made anew for every record would be looked up by its letters. */
const STATUS_CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'];

/** Adds its metrics to the registry, and gives what counts one record in them. No label is ever a text of a client's. */
type MetricGroup = (registry: MetricsRegistry) => (record: ExchangeRecord) => void;

const countExchanges: MetricGroup = (registry) => {
  const exchanges = registry.counter('winnow_proxy_exchanges_total', 'Exchanges of known formats.', [
    'format',
    'arm',
    'plan',
    'outcome',
  ]);
  const responses = registry.counter('winnow_proxy_answers_total', 'Responses that clients got, by status.', [
    'format',
    'arm',
    'status',
  ]);
  const calls = registry.histogram(
    'winnow_proxy_upstream_calls',
    'Requests to the upstream for one exchange.',
    CALLS_BUCKETS,
    ['arm'],
  );
  const sessionErrors = registry.counter(
    'winnow_proxy_session_errors_total',
    'Failures of the session store.',
  );
  // Named one by one: the rest of a record would be copied for each.
  return ({ format, arm, planReason: plan, outcome, status, upstreamCalls, sessionErrors: errors }) => {
    exchanges.inc({ format, arm, plan, outcome });
    if (status !== undefined)
      responses.inc({ format, arm, status: STATUS_CLASSES[Math.floor(status / 100)]! });
    calls.observe({ arm }, upstreamCalls);
    sessionErrors.inc({}, errors);
  };
};

const countTools: MetricGroup = (registry) => {
  const tools = registry.counter('winnow_proxy_tools_total', 'Tools of requests, by what became of them.', [
    'arm',
    'fate',
  ]);
  const tokens = registry.counter(
    'winnow_proxy_estimated_tool_tokens_total',
    'Tokens of tools without the proxy and with it, estimated, of exchanges that ended with a 2xx response.',
    ['arm', 'side'],
  );
  const loadedNow = registry.histogram(
    'winnow_proxy_newly_loaded_tools',
    'Deferred tools that the searches of one exchange made visible for the first time.',
    TOOLS_BUCKETS,
    ['because'],
  );
  return (record) => {
    const { arm, preloaded = 0, newlyLoaded, toolBytes } = record;
    const { kept, deferred, loaded } = record.tools;
    tools.inc({ arm, fate: 'kept' }, kept);
    tools.inc({ arm, fate: 'preloaded' }, preloaded);
    tools.inc({ arm, fate: 'deferred' }, deferred);
    tools.inc({ arm, fate: 'loaded' }, loaded);
    if (newlyLoaded !== undefined) {
      const { found, restored } = newlyLoaded;
      loadedNow.observe({ because: restored > 0 ? 'restored' : 'found' }, found + restored);
    }
    // A client that has got no good response sends its request again: nothing was saved.
    if (!savesTokens(record)) return;
    tokens.inc({ arm, side: 'before' }, toolBytes.estimatedTokensBefore);
    tokens.inc({ arm, side: 'after' }, toolBytes.estimatedTokensAfter);
  };
};

function savesTokens({ outcome, status = 0 }: ExchangeRecord): boolean {
  return outcome === 'answered' && isGood({ status });
}

/** Outcomes of searches that somebody was asked for; the others would tell nothing of how long one takes. */
const ASKED: ReadonlySet<SearchRecord['outcome']> = new Set([
  'found',
  'no_match',
  'api_error',
  'api_timeout',
  'empty_selection',
  'unknown_selection_names',
]);

const countSearches: MetricGroup = (registry) => {
  const labels = ['answered_by', 'asked_by'] as const;
  const searches = registry.counter('winnow_proxy_searches_total', 'Searches, by how they ended.', [
    ...labels,
    'outcome',
  ]);
  const seconds = registry.histogram(
    'winnow_proxy_search_seconds',
    'Time of one search that was asked.',
    SECONDS_BUCKETS,
    labels,
  );
  const meant = registry.counter(
    'winnow_proxy_meaning_searches_total',
    'Searches of this process that ordered by meaning too, by whether all of it was known in time (used) or not (degraded).',
    ['result'],
  );
  for (const result of ['used', 'degraded']) meant.inc({ result }, 0);
  return (record) => {
    const answered_by = STRATEGIES[record.strategy].search ?? 'local';
    const count = (asked_by: 'model' | 'observation', { outcome, ms, meaning }: SearchRecord) => {
      searches.inc({ answered_by, asked_by, outcome });
      if (meaning !== undefined) meant.inc({ result: meaning });
      if (ASKED.has(outcome)) seconds.observe({ answered_by, asked_by }, ms / 1_000);
    };
    for (const search of record.searches) count('model', search);
    if (record.observation?.search) count('observation', record.observation.search);
  };
};

/** Everything that makes an exchange do without the proxy's choice of tools. */
const FALLBACK_REASONS: ReadonlySet<string> = new Set([
  ...SearchFailure.exclude(['client_gone']).options,
  ...RestoreReason.options,
  'limit',
  'plan_failed',
]);

const countFallbacks: MetricGroup = (registry) => {
  const fallbacks = registry.counter(
    'winnow_proxy_fallbacks_total',
    'Exchanges in which the model was shown everything after all.',
    ['reason'],
  );
  // An alert on a rate needs the zero before the first one.
  for (const reason of FALLBACK_REASONS) fallbacks.inc({ reason }, 0);
  return ({ arm, searches, restoredBecause, planReason }) => {
    if (arm !== 'full') return;
    const reasons = [...searches.map(({ outcome }) => outcome), restoredBecause, planReason];
    for (const reason of new Set(reasons)) {
      if (reason !== undefined && FALLBACK_REASONS.has(reason)) fallbacks.inc({ reason });
    }
  };
};

/** Overlaps are parts of a few picks. */
const SHARE_BUCKETS = [0, 0.2, 0.4, 0.6, 0.8, 1];

const countObservations: MetricGroup = (registry) => {
  const observations = registry.counter('winnow_proxy_observations_total', 'Exchanges that were observed.', [
    'arm',
    'status',
  ]);
  const overlap = registry.histogram(
    'winnow_proxy_shadow_overlap',
    'Share of picks that the search and relevance have in common.',
    SHARE_BUCKETS,
    [],
  );
  const exchanges = registry.counter(
    'winnow_proxy_shadow_exchanges_total',
    'Observed responses, by whether the model called what it would not have found.',
    ['verdict'],
  );
  const called = registry.counter(
    'winnow_proxy_shadow_called_tools_total',
    'Called tools that would have been deferred.',
  );
  const missed = registry.counter(
    'winnow_proxy_shadow_missed_tools_total',
    'Called tools that would have been deferred and not found.',
  );
  return ({ arm, observation }) => {
    if (!observation) return;
    observations.inc({ arm, status: observation.status });
    if (observation.agreement) overlap.observe({}, observation.agreement.overlap);
    if (!observation.called || !observation.wouldHaveMissed) return;
    called.inc({}, observation.called.length);
    missed.inc({}, observation.wouldHaveMissed.length);
    exchanges.inc({ verdict: verdictOf(observation.called, observation.wouldHaveMissed) });
  };
};

function verdictOf(called: readonly string[], missed: readonly string[]): 'no_calls' | 'found' | 'missed' {
  if (called.length === 0) return 'no_calls';
  return missed.length === 0 ? 'found' : 'missed';
}

const countTimes: MetricGroup = (registry) => {
  const times = (name: string, help: string, buckets = SECONDS_BUCKETS) =>
    registry.histogram(name, help, buckets, ['arm']);
  const added = times('winnow_proxy_added_seconds', "What the client waited for the proxy's own work.");
  const plan = times('winnow_proxy_plan_seconds', 'Time to read a request and to plan what to do with it.');
  const session = times('winnow_proxy_session_seconds', 'What the client waited for the session store.');
  const hidden = times(
    'winnow_proxy_hidden_rounds_seconds',
    'Time of the requests to the upstream but the last, where there were any.',
    ROUND_SECONDS_BUCKETS,
  );
  return ({ arm, addedMs, planMs, sessionMs, hiddenRoundsMs, planReason, upstreamCalls }) => {
    added.observe({ arm }, addedMs / 1_000);
    // What was only observed was read after the exchange.
    if (planReason === 'not_read' || planMs === 0) return;
    plan.observe({ arm }, planMs / 1_000);
    session.observe({ arm }, sessionMs / 1_000);
    if (upstreamCalls > 1) hidden.observe({ arm }, hiddenRoundsMs / 1_000);
  };
};

function addStateMetrics(registry: MetricsRegistry, state: MeteredState): void {
  registry.gauge('winnow_proxy_breaker_state', 'Of the selector: 0 closed, 1 half open, 2 open.', () =>
    BREAKER_STATES.indexOf(state.breakerState()),
  );
  registry.gauge('winnow_proxy_vectors', 'Vectors held.', () => state.meaning()?.size ?? 0);
  registry.gauge(
    'winnow_proxy_vector_bytes',
    'Memory of the vectors held, in bytes.',
    () => state.meaning()?.bytes ?? 0,
  );
  registry.gauge('winnow_proxy_embedder_failing', '1 while vectors do not come.', () =>
    state.meaning()?.isFailing ? 1 : 0,
  );
  registry.gauge('winnow_proxy_sessions', 'Sessions held.', state.sessions);
  registry.gauge('winnow_proxy_session_store_up', 'Whether the session store works: 1 or 0.', () =>
    Number(state.isSessionStoreUp()),
  );
  registry.gauge(
    'winnow_proxy_open_exchanges',
    'Requests being answered, streams included.',
    state.openExchanges,
  );
  registry.gauge('winnow_proxy_open_streams', 'Event streams that clients are reading.', state.openStreams);
  registry.totals(
    'winnow_proxy_records_dropped_total',
    'Records that were lost because they could not be written in time.',
    'to',
    state.droppedRecords,
  );
}
