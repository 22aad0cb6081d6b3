import { z } from 'zod';
import { PlanReason, RestoreReason, RolloutReason, RoundFailureReason, SearchFailure } from './reasons.ts';

/** The version in every record. It changes when a field changes its meaning, not when a field is added. */
export const RECORD_VERSION = 1;

const count = z.int().min(0);
const milliseconds = z.number().min(0);

/**
 * One search, made by the model or run for a request. Contains the query text only if the operator enables
 * that.
 */
export const SearchRecord = z.object({
  queryText: z.string().optional(),
  /**
   * `weak`: the matches share so little with the query that none was shown. `limit`: not run, because the
   * model had used up its searches.
   */
  outcome: z.enum(['found', 'weak', 'no_match', 'limit', ...SearchFailure.options]),
  /** Names of tools, best first. */
  names: z.array(z.string()),
  /** The status of the selector that failed, or the system error code of its connection, such as `ECONNREFUSED`. */
  cause: z.string().optional(),
  ms: milliseconds,
});
export type SearchRecord = z.infer<typeof SearchRecord>;

/** Numbers of the tools that the client sent, by treatment. Those that are not deferred are kept. */
export const ToolCounts = z.object({
  total: count,
  deferred: count,
  /** Deferred tools that were visible at the end. */
  loaded: count,
});
export type ToolCounts = z.infer<typeof ToolCounts>;

/** Tokens as the upstream counted them. Input includes tokens read from and written to the prompt cache. */
export const TokenUsage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  /**
   * Input tokens read from the prompt cache. Absent if the provider does not report them, as are the next
   * two.
   */
  cachedInputTokens: z.number().optional(),
  /** Input tokens written to the prompt cache. */
  cacheWriteTokens: z.number().optional(),
  /** Cache-write tokens that are kept for an hour (Anthropic). Absent if zero. */
  longCacheWriteTokens: z.number().optional(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** Sizes of the tools in the prompts, in bytes. */
export const ToolBytes = z.object({
  /** In the single request that the client would have sent. */
  before: count,
  /** In all requests of the exchange together. */
  after: count,
  /**
   * In the first request of the exchange. Absent if nothing was measured, and in records of earlier versions.
   */
  first: count.optional(),
});
export type ToolBytes = z.infer<typeof ToolBytes>;

/** One tool of a list: its name and the size of its definition. */
export const MeasuredTool = z.object({
  name: z.string(),
  /** Size of the definition as the client wrote it, in bytes. */
  bytes: count,
  /** Present if the tool is never deferred. */
  kept: z.literal(true).optional(),
});
export type MeasuredTool = z.infer<typeof MeasuredTool>;

/**
 * The tools of requests, as one JSON line of `tool_discovery.jsonl`: written before the first exchange with this
 * list and once an hour after that, so that exchanges need not repeat it.
 */
export const ToolListRecord = z.object({
  version: z.literal(RECORD_VERSION),
  event: z.literal('tool_list'),
  time: z.iso.datetime(),
  /** The first characters of a hash of `tools`. */
  id: z.string(),
  /** In the client's order; entries without a name, such as a provider's own tools, are left out. */
  tools: z.array(MeasuredTool),
});
export type ToolListRecord = z.infer<typeof ToolListRecord>;

/** Which tools of a list the requests of one exchange showed the model. */
const ToolListUse = z.object({
  /** The list's id. */
  id: z.string(),
  /** Number of requests that showed all tools of the list; absent if none did, or if the list defers none. */
  whole: count.optional(),
  /** Number of requests that showed a deferred tool, by its name, without those of `whole`. */
  loaded: z.record(z.string(), count).optional(),
});

/** The effect that deferring is expected to have on a conversation of an agent. */
export const ExpectedDeferral = z.object({
  /** Tokens of tools that deferring keeps out of each request. */
  freedTokens: count,
  /** The bill of a conversation with deferred tools, as a share of the bill with all tools. */
  bill: z.number().min(0),
  /** Present if the agent's choice changes with this request, which writes the prompt's head anew. */
  isChange: z.literal(true).optional(),
});
export type ExpectedDeferral = z.infer<typeof ExpectedDeferral>;

/** The agent that sent a request, identified by its tools, model, credential and head. */
export const AgentRecord = z.object({
  /** The first characters of a hash. */
  id: z.string(),
  /** The program that the client names in its user agent, without version, such as `claude-cli`. */
  name: z.string().optional(),
  /** Present if the request begins a conversation. */
  isFirst: z.literal(true).optional(),
  /**
   * Time since the agent's previous request with the same treatment through this proxy; absent if there was
   * none.
   */
  idleMs: milliseconds.optional(),
});
export type AgentRecord = z.infer<typeof AgentRecord>;

/** Treatment of an exchange's tools. `dark` and `shadow` only observe and alter nothing. */
export const RolloutArm = z.enum(['off', 'dark', 'shadow', 'full']);
export type RolloutArm = z.infer<typeof RolloutArm>;

/** A request of the search loop that failed. */
export const FailedRound = z.object({
  reason: RoundFailureReason,
  /** The upstream's status, or the system error code of a connection failure, such as `ECONNREFUSED`. */
  cause: z.string().optional(),
});
export type FailedRound = z.infer<typeof FailedRound>;

/** Findings about an exchange that was only observed. */
export const Observation = z.object({
  /**
   * - `done`: observed completely; the search for the last user message ran, with any outcome.
   * - `not_applicable`: nothing would have been deferred; `planReason` says why.
   * - `dropped`: the request could not be held in memory, or the proxy stopped.
   * - `failed`: a defect of the proxy's own; logged.
   */
  status: z.enum(['done', 'not_applicable', 'dropped', 'failed']),
  /**
   * Names of the tools that the model called in this response and that would have been deferred, without
   * duplicates. `shadow` only, and only for complete responses.
   */
  called: z.array(z.string()).optional(),
  /**
   * Tools in `called` that the search did not pick; empty if the search failed, because all tools would have
   * been shown.
   */
  wouldHaveMissed: z.array(z.string()).optional(),
});
export type Observation = z.infer<typeof Observation>;

export const ExchangeOutcome = z.enum([
  /** The client received the whole response, even if it was an error from the upstream. */
  'answered',
  /** The client received an error from the proxy, or the response broke off. */
  'failed',
  'client_gone',
]);
export type ExchangeOutcome = z.infer<typeof ExchangeOutcome>;

/**
 * One exchange with a client, as one JSON line of `tool_discovery.jsonl`. Never contains request content or
 * credentials: queries appear as length and hash, tools by name.
 */
export const ExchangeRecord = z.object({
  version: z.literal(RECORD_VERSION),
  event: z.literal('exchange'),
  /** Start of the exchange, as ISO 8601. */
  time: z.iso.datetime(),
  requestId: z.string(),
  /** The first characters of the session's key; absent if the session could not be identified. */
  session: z.string().optional(),
  upstream: z.string(),
  format: z.string(),
  model: z.string().optional(),
  strategy: z.enum(['passthrough', 'relevance', 'tool-search', 'api']),
  arm: RolloutArm,
  armReason: RolloutReason,
  /** The name of the profile in the settings that the request matched. */
  profile: z.string().optional(),
  /**
   * The reason for the treatment of the tools, actual or hypothetical: `deferred`, or why the request was
   * left unchanged.
   */
  planReason: PlanReason,
  /** Absent if the request declares no tools, was not read, or strategy and arm make no use of it. */
  agent: AgentRecord.optional(),
  /** The effect that deferring was expected to have; absent if too few tools could be deferred. */
  expected: ExpectedDeferral.optional(),
  /** The way tools were loaded in the end: `swap` as well where the upstream rejected references to deferred ones. */
  loadMode: z.enum(['swap', 'native', 'bridge']),
  /** In the arms `dark` and `shadow`: the counts that deferring would have produced. */
  tools: ToolCounts,
  /** Absent if no plan was made, or the list is too long to record. */
  toolList: ToolListUse.optional(),
  /**
   * Number of the request's tools that each name or glob of `always_keep` matches. Absent if the setting is
   * empty.
   */
  alwaysKeep: z.record(z.string(), count).optional(),
  /**
   * Searches of the model, in order; searches of one response are adjacent. With an `observation`, the search for the
   * last user message that was made in place of the model's.
   */
  searches: z.array(SearchRecord),
  /**
   * Names of the tools that the model called in its response, without duplicates; absent if it called none. Only
   * of complete responses in the arms `full` and `shadow`.
   */
  called: z.array(z.string()).optional(),
  /** Names in `called` that the model could not see in the request; absent if there are none. */
  unseen: z.array(z.string()).optional(),
  /** Present only in the arms `dark` and `shadow`. */
  observation: Observation.optional(),
  /** The reason for sending the original bytes after the edited ones; absent if they were not sent. */
  restoredBecause: RestoreReason.optional(),
  /**
   * Failed requests of the search loop, including those that a retry made up for; absent if there were none.
   */
  failedRounds: z.array(FailedRound).optional(),
  /** Requests to the upstream. */
  upstreamCalls: count,
  /**
   * Bytes of the first request that the model reads: its body, without definitions that the provider keeps out of
   * the prompt. Absent if the body was streamed through.
   */
  promptBytes: count.optional(),
  /**
   * Approximate bytes of the client's request that no earlier request of its conversation had, so that no
   * prompt cache can hold them. Absent if the tools were not planned.
   */
  newBytes: count.optional(),
  /** Hidden turns of the conversation that were known. */
  hiddenTurnsKnown: count,
  /** Failures to read from or write to the session store. */
  sessionErrors: count,
  /** In the arms `dark` and `shadow`: the sizes that deferring would have had in the first request. */
  toolBytes: ToolBytes,
  /** Time of the upstream requests that the client did not make itself: all but the last. */
  hiddenRoundsMs: milliseconds,
  /**
   * Time that the client waited for the proxy's own work: the plan, the searches, the session store, and
   * everything except receiving the request and requests to the upstream.
   */
  addedMs: milliseconds,
  /** Time from the head of the client's request to the end of its response. */
  totalMs: milliseconds,
  /** Tokens of each response that was read and reported any, in order; absent if none did. */
  usage: z.array(TokenUsage).optional(),
  /** The system error code of the connection failure that ended the exchange, such as `ECONNREFUSED`. */
  cause: z.string().optional(),
  /** The status that the client received; absent if it left before. */
  status: z.int().optional(),
  outcome: ExchangeOutcome,
});
export type ExchangeRecord = z.infer<typeof ExchangeRecord>;

/** Returns the searches that the model made itself. */
export function modelSearches<Search>({
  searches,
  observation,
}: {
  readonly searches: readonly Search[];
  readonly observation?: unknown;
}): readonly Search[] {
  return observation === undefined ? searches : [];
}

/** Returns the sum of usages; undefined for none. A count that only some of them have is kept. */
export function totalUsage([first, ...others]: readonly TokenUsage[] = []): TokenUsage | undefined {
  if (first === undefined) return undefined;
  const sum = { ...first };
  for (const usage of others)
    for (const count of Object.keys(usage) as (keyof TokenUsage)[])
      sum[count] = (sum[count] ?? 0) + usage[count]!;
  return sum;
}

/** Bytes of English and JSON per token, as in current tokenisers. */
const BYTES_PER_TOKEN = 4;

/** Returns the estimated tokens of so many bytes of tools. */
export function toolTokens(bytes: number): number {
  return Math.round(bytes / BYTES_PER_TOKEN);
}

/** A search as read back from a record: its outcome may be unknown to this version. */
export const StoredSearch = SearchRecord.extend({ outcome: z.string() });
export type StoredSearch = z.infer<typeof StoredSearch>;

/**
 * A record as read back from a file. Every `ExchangeRecord` is one.
 *
 * A newer proxy may write reasons that this version does not know; its records are still read.
 */
export const StoredRecord = ExchangeRecord.extend({
  armReason: z.string(),
  planReason: z.string(),
  restoredBecause: z.string().optional(),
  searches: z.array(StoredSearch),
  failedRounds: z.array(FailedRound.extend({ reason: z.string() })).optional(),
});
export type StoredRecord = z.infer<typeof StoredRecord>;
