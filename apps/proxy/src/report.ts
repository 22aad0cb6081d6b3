import type { LoadMode, Usage } from '@winnow/wire';
import type { Settings } from './config.ts';
import type { RolloutDecision } from './rollout.ts';
import type { SearchFailure } from './search/search.ts';

/** One exchange, as one JSON line. Content of requests is never in it: queries by length and hash, tools by name. */
export interface ExchangeRecord {
  /** Milliseconds since the epoch, as ISO 8601. */
  time: string;
  event: 'exchange';
  requestId: string;
  /** The first characters of the session's key; undefined when no session could be told. */
  session: string | undefined;
  upstream: string;
  format: string;
  model: string | undefined;
  isStream: boolean;
  strategy: Settings['pipes.tool_discovery.strategy'];
  arm: RolloutDecision['arm'];
  armReason: RolloutDecision['reason'];
  /** Why the tools were treated as they were: `deferred`, or why the request was left alone. */
  planReason: string;
  loadMode: LoadMode;
  tools: ToolCounts;
  /** In order; searches of one answer stand together. */
  searches: SearchRecord[];
  /** Why the original bytes were sent after the edited ones; undefined when they were not. */
  restoredBecause: RestoreReason | undefined;
  /** Requests to the upstream. */
  upstreamCalls: number;
  hiddenTurnsKnown: number;
  /** What could not be read from or written to the session store. */
  sessionErrors: number;
  toolBytes: ToolBytes;
  /** From the request's body being there to its plan being made, in milliseconds. */
  planMs: number;
  /** What the client waited for searches, in milliseconds. */
  searchMs: number;
  totalMs: number;
  /** Summed over all upstream calls; undefined when no upstream said. */
  usage: Usage | undefined;
  /** The status that the client got; undefined when it left before. */
  status: number | undefined;
  outcome: ExchangeOutcome;
}

/** How many tools the client sent, and what became of them. */
export interface ToolCounts {
  total: number;
  kept: number;
  deferred: number;
  /** Of the deferred ones, those visible at the end. */
  loaded: number;
}

/** One search of the model. */
export interface SearchRecord {
  queryChars: number;
  /** The first characters of the query's SHA-256. */
  queryHash: string;
  outcome: 'found' | 'no_match' | 'limit' | SearchFailure;
  names: readonly string[];
  ms: number;
}

/** What the tools take of the prompts, in bytes and in tokens as far as a byte count tells. */
export interface ToolBytes {
  /** In the one request that the client would have sent. */
  before: number;
  /** In all requests of the exchange together. */
  after: number;
  estimatedTokensBefore: number;
  estimatedTokensAfter: number;
}

export type RestoreReason =
  /** The upstream refused the edited request with 400, 404, 413 or 422. */
  | 'upstream_rejected_edit'
  /** A later request of the exchange failed before the client had seen anything. */
  | 'later_round_failed'
  /** An answer could not be read before the client had seen anything. */
  | 'answer_unreadable'
  /** A defect of the proxy's own, before the client had seen anything; logged. */
  | 'defect';

export type ExchangeOutcome =
  /** The client has the whole answer, be it an error of the upstream's. */
  | 'answered'
  /** The client was told of an error of the proxy's, or the answer broke off. */
  | 'failed'
  | 'client_gone';

/** Takes the record of each exchange, once. Never throws. */
export type Report = (record: ExchangeRecord) => void;

/** Bytes of English and JSON that make a token, as tokenisers of today have it. */
const BYTES_PER_TOKEN = 4;

/** Estimated tokens in so many bytes. */
export function estimateTokens(bytes: number): number {
  return Math.round(bytes / BYTES_PER_TOKEN);
}
