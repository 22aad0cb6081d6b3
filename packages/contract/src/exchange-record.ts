import { z } from 'zod';
import { PlanReason, RestoreReason, RolloutReason, RoundFailureReason, SearchFailure } from './reasons.ts';
import { RegistryCall, RegistryOffer } from './registry-offer.ts';

/** The version that stands in every record. It changes when a field loses its meaning, not when one is added. */
export const RECORD_VERSION = 1;

const count = z.int().min(0);
const milliseconds = z.number().min(0);

/** One search, of the model or beside a request. The query itself is there only when the operator wants it. */
export const SearchRecord = z.object({
  queryChars: count,
  /** The first characters of the query's SHA-256, in hexadecimal. */
  queryHash: z.string(),
  queryText: z.string().optional(),
  /** `limit`: not answered, because the model had searched often enough. */
  outcome: z.enum(['found', 'no_match', 'limit', ...SearchFailure.options]),
  /** Names of tools, the best first. */
  names: z.array(z.string()),
  /** Whether meaning had a part in their order: in full, or not (or not with all tools) because vectors did not come in time. Absent where it was not asked. */
  meaning: z.enum(['used', 'degraded']).optional(),
  /** The HTTP status of the selector's last response; absent where none came, or none was asked. */
  status: z.int().optional(),
  /** The system's code where the connection to the selector failed, such as `ECONNREFUSED`. */
  cause: z.string().optional(),
  ms: milliseconds,
});
export type SearchRecord = z.infer<typeof SearchRecord>;

/** How many tools the client sent, and what became of them. */
export const ToolCounts = z.object({
  total: count,
  kept: count,
  deferred: count,
  /** Of the deferred ones, those visible at the end. */
  loaded: count,
});
export type ToolCounts = z.infer<typeof ToolCounts>;

/** Deferred tools that the searches of one exchange made visible for the first time. */
export const NewlyLoaded = z.object({
  /** That searches found. */
  found: count,
  /** That were shown because a search failed, or because the model had searched often enough. */
  restored: count,
});
export type NewlyLoaded = z.infer<typeof NewlyLoaded>;

/** Tokens as an upstream counted them. The input side includes what a prompt cache held or took. */
export const TokenUsage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Of the input, what was read from the prompt cache. Absent where the provider does not report it, as are the next two. */
  cachedInputTokens: z.number().optional(),
  /** Of the input, what was written to the prompt cache. */
  cacheWriteTokens: z.number().optional(),
  /** Of what was written, that which is kept for an hour (Anthropic). Absent when it is nothing. */
  longCacheWriteTokens: z.number().optional(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** Tokens of one response of the search loop. */
export const RoundUsage = TokenUsage.extend({
  /** Which round of the exchange, from 1; one that was repeated may stand there more than once. */
  round: count,
});
export type RoundUsage = z.infer<typeof RoundUsage>;

/** What the tools take of the prompts, in bytes and in tokens as far as a byte count tells. */
export const ToolBytes = z.object({
  /** In the one request that the client would have sent. */
  before: count,
  /** In all requests of the exchange together. */
  after: count,
  /** In the first of them. Absent when nothing was measured, and in records of earlier versions. */
  first: count.optional(),
  estimatedTokensBefore: count,
  estimatedTokensAfter: count,
});
export type ToolBytes = z.infer<typeof ToolBytes>;

/** What happens to an exchange's tools. `dark` and `shadow` alter nothing; they observe. */
export const RolloutArm = z.enum(['off', 'dark', 'shadow', 'full']);
export type RolloutArm = z.infer<typeof RolloutArm>;

/** How two lists of picks agree. */
export const Agreement = z.object({
  /** Picks in both, as a share of the longer list's length. */
  overlap: z.number().min(0).max(1),
  /** Picks in both, as a share of those in either (Jaccard index). */
  jaccard: z.number().min(0).max(1),
  /** Kendall's tau over the picks in both, from -1 to 1; absent when fewer than two are. */
  rankCorrelation: z.number().min(-1).max(1).optional(),
});
export type Agreement = z.infer<typeof Agreement>;

/** What was wrong with a request of the search loop. */
export const RoundProblem = z.object({
  reason: RoundFailureReason,
  /** The upstream's status; absent when there was none, or a good one. */
  status: z.int().optional(),
  /** The system's code for what failed on the wire, such as `ECONNREFUSED`. */
  cause: z.string().optional(),
});
export type RoundProblem = z.infer<typeof RoundProblem>;

/** A request of the search loop that failed. */
export const FailedRound = RoundProblem.extend({
  /** Which round of the exchange, from 1; one that was repeated stands there more than once. */
  round: count,
});
export type FailedRound = z.infer<typeof FailedRound>;

/** What was found out about an exchange that was only observed. */
export const Observation = z.object({
  /**
   * - `done`: what could be found out was; a search was asked, whatever it came to.
   * - `not_applicable`: nothing would have been deferred; `planReason` says why.
   * - `dropped`: too much was waiting to be observed, the bodies were too large, or the proxy stopped.
   * - `failed`: a defect of the proxy's own; logged.
   */
  status: z.enum(['done', 'not_applicable', 'dropped', 'failed']),
  /** What a search for the last user message picks. Absent unless `done`, and with the strategy `relevance`, which has no searches. */
  search: SearchRecord.optional(),
  /**
   * Picks of the strategy `relevance` among the deferred tools, the best first: at most as many as a search may find, and none that fits
   * in nothing. `shadow` only, and only beside a search.
   */
  relevancePicks: z.array(z.string()).optional(),
  /** The search's picks against those. `shadow` only, and only when the search was answered. */
  agreement: Agreement.optional(),
  /** Names of the tools that the model called in this answer and that would have been deferred, each once. `shadow` only, of whole answers. */
  called: z.array(z.string()).optional(),
  /** Those among `called` that the search did not pick; empty when it failed, as all tools would have been shown. */
  wouldHaveMissed: z.array(z.string()).optional(),
});
export type Observation = z.infer<typeof Observation>;

export const ExchangeOutcome = z.enum([
  /** The client has the whole answer, be it an error of the upstream's. */
  'answered',
  /** The client was told of an error of the proxy's, or the answer broke off. */
  'failed',
  'client_gone',
]);
export type ExchangeOutcome = z.infer<typeof ExchangeOutcome>;

/**
 * One exchange with a client, as one JSON line of `tool_discovery.jsonl`. Content of requests is never in it, nor any credential: queries
 * by length and hash, tools by name.
 */
export const ExchangeRecord = z.object({
  version: z.literal(RECORD_VERSION),
  event: z.literal('exchange'),
  /** When it began, as ISO 8601. */
  time: z.iso.datetime(),
  requestId: z.string(),
  /** The first characters of the session's key; absent when no session could be told. */
  session: z.string().optional(),
  upstream: z.string(),
  format: z.string(),
  model: z.string().optional(),
  isStream: z.boolean(),
  strategy: z.enum(['passthrough', 'relevance', 'tool-search', 'api']),
  arm: RolloutArm,
  armReason: RolloutReason,
  /** Why the tools were treated as they were, or would have been: `deferred`, or why the request was left alone. */
  planReason: PlanReason,
  /** How tools were loaded in the end. */
  loadMode: z.enum(['swap', 'native']),
  /** The round, from 1, from which on tools were loaded by swapping, where the upstream took no references to deferred ones; absent where none were refused. */
  swappedInRound: count.optional(),
  /** In the arms `dark` and `shadow`: what would have become of them. */
  tools: ToolCounts,
  /** Of the kept tools, those that fit the conversation's first message. Absent when none did. */
  preloaded: count.optional(),
  /** For each name or glob of `always_keep`, how many of the request's tools it is for. Absent when the setting is empty. */
  alwaysKeep: z.record(z.string(), count).optional(),
  /** Searches of the model, in order; those of one answer stand together. */
  searches: z.array(SearchRecord),
  /** Absent when the model did not search. */
  newlyLoaded: NewlyLoaded.optional(),
  /** What became of the client's wish for the registry's tools; absent where it had none. */
  registryOffer: RegistryOffer.optional(),
  /** Calls of the registry's tools, in order; absent where there were none. */
  registryCalls: z.array(RegistryCall).optional(),
  /** In the arms `dark` and `shadow`. */
  observation: Observation.optional(),
  /** Why the original bytes were sent after the edited ones; absent when they were not. */
  restoredBecause: RestoreReason.optional(),
  /** Requests of the search loop that failed, those included that were repeated with success; absent when none did. */
  failedRounds: z.array(FailedRound).optional(),
  /**
   * The upstream refused the request and its original, and it was tried again without the thinking of earlier turns: hidden turns around it were lost with
   * the session. Absent when it was not.
   */
  droppedThinking: z.literal(true).optional(),
  /** Items of reasoning that the provider kept from the model, by its reason, in all rounds (OpenAI Responses); absent when there were none. */
  withheldReasoning: z.record(z.string(), count).optional(),
  /** Rounds whose prompt was not read from the cache, as the provider tells when it is asked (OpenAI Responses); absent when there were none. */
  cacheMisses: z.array(z.object({ round: count, reason: z.string(), missedTokens: count })).optional(),
  /** Requests to the upstream. */
  upstreamCalls: count,
  /** Bytes of the first request's body as it was sent to the upstream. Absent when it was passed on while it came. */
  firstRequestBytes: count.optional(),
  hiddenTurnsKnown: count,
  /** What could not be read from or written to the session store. */
  sessionErrors: count,
  /** In the arms `dark` and `shadow`: what they would have taken in the first request. */
  toolBytes: ToolBytes,
  /** From the request's body being there to its plan being made, the session's reading included. */
  planMs: milliseconds,
  /** Reading from and writing to the session store, as far as the client waited for it. */
  sessionMs: milliseconds,
  /** What the client waited for searches. */
  searchMs: milliseconds,
  /** Requests to the upstream that the client has not asked for: all but the last. */
  hiddenRoundsMs: milliseconds,
  /**
   * What the client waited for the proxy's own work: the plan, the searches, the session store, and whatever else is neither receiving the
   * request nor a request to the upstream.
   */
  addedMs: milliseconds,
  /** From the head of the client's request to the end of its answer. */
  totalMs: milliseconds,
  /** Tokens summed over all responses that were read; absent when none of them said. */
  usage: TokenUsage.optional(),
  /** The parts of that sum, in order; absent when it has only one. */
  usageByRound: z.array(RoundUsage).optional(),
  /** The system's code for what failed on the wire, such as `ECONNREFUSED`, where that ended the exchange. */
  cause: z.string().optional(),
  /** The status that the client got; absent when it left before. */
  status: z.int().optional(),
  outcome: ExchangeOutcome,
});
export type ExchangeRecord = z.infer<typeof ExchangeRecord>;
