import type { ChatDialect } from '../openai-chat/chat-dialects.ts';
import type { Delivery } from './delivery.ts';
import type { Interruption } from './interruption.ts';
import type { JsonObject } from './json-object.ts';

/** A fragment of a text, or an interruption after the previous fragment. */
export type Piece = string | Interruption;

/**
 * A part of the model's output. Each string of `pieces` becomes one delta.
 *
 * A stream reads pieces once and lazily, so they may be endless; a whole response reads them several times.
 */
export type AnswerPart =
  | { readonly type: 'text'; readonly pieces: Iterable<Piece> }
  /** Thinking: signed by the upstream for Anthropic, `reasoning_content` for Chat (compatible servers). */
  | { readonly type: 'thinking'; readonly pieces: Iterable<Piece> }
  | CallPart
  /** A content block that arrives whole, such as Anthropic's `redacted_thinking`. Chat omits it. */
  | { readonly type: 'block'; readonly block: JsonObject }
  /** An interruption between two parts. */
  | Interruption;

/** A call of a tool; `pieces` are fragments of the JSON text of its arguments. */
export interface CallPart {
  readonly type: 'call';
  readonly name: string;
  readonly pieces: Iterable<Piece>;
  /** Default: derived from the request's number and the position. */
  readonly id?: string;
  /** Further fields of the call, such as Google's `extra_content` or Anthropic's `caller`. */
  readonly fields?: JsonObject;
}

/** Token usage that the upstream reports. */
export interface Usage {
  /** Prompt tokens that were neither read from a cache nor written to one. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** A subset of `outputTokens`. */
  readonly reasoningTokens?: number;
}

/** Deviations of compatible servers from the provider whose format they use. Each is off by default. */
export interface Deviations {
  /** The dialect in which a Chat server sends reasoning: plain `reasoning_content` by default. */
  readonly chatDialect?: ChatDialect;
  /** The index of each call in a Chat stream: always 0, absent, or counted from 1. */
  readonly callIndex?: 'zero' | 'absent' | 'from-one';
  /** Calls in a Chat stream have no id. */
  readonly hasNoCallIds?: boolean;
  /** Each call of a Chat stream arrives in one chunk, the last with the finish reason. */
  readonly hasWholeCalls?: boolean;
  /** Arguments are an object instead of a string (Chat; implies whole calls). */
  readonly hasObjectArguments?: boolean;
  /** The name of a call is split over three chunks (Chat). */
  readonly splitsNames?: boolean;
  /** The fragments of parallel calls are interleaved (Chat). */
  readonly interleavesCalls?: boolean;
  /** Every chunk names the role (Chat). */
  readonly repeatsRole?: boolean;
  /** The stream begins with a chunk without choices, like Azure's filter results (Chat). */
  readonly hasLeadingChunk?: boolean;
  /** The stream ends without `[DONE]` (Chat). */
  readonly hasNoDone?: boolean;
  /** The stop reason is that of a text although there are calls. */
  readonly stopsAsText?: boolean;
  /** The whole input of a call arrives in `content_block_start` (Anthropic). */
  readonly hasInputInStart?: boolean;
  /** Calls have ids (Gemini's own have none). */
  readonly hasCallIds?: boolean;
  /** The stream has no `event:` lines (Anthropic). */
  readonly hasNoEventLines?: boolean;
}

/** A message of the model. The request's format decides how it is written, whole or streamed. */
export interface MessageAnswer {
  readonly kind: 'message';
  readonly parts: readonly AnswerPart[];
  /** Default: derived from the request's number. */
  readonly id?: string;
  /**
   * `end`, `calls`, `length`, `refusal`, `pause`, or a provider's own word. Default: derived from the parts.
   */
  readonly stop?: string;
  /** Default: estimated from the lengths of request and response. */
  readonly usage?: Usage;
  /** Seconds since 1970, for Chat's `created`. Default: a fixed time plus the request's number. */
  readonly createdSeconds?: number;
  /**
   * Further fields of the message, such as Chat's `reasoning_details` or Anthropic's `container`. Streams
   * carry them in their first event.
   */
  readonly fields?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly deviations?: Deviations;
  readonly delivery?: Delivery;
}

/** Raw bytes. */
export interface BytesAnswer {
  readonly kind: 'bytes';
  /** Each element is written on its own, and read only once the client has taken the previous ones. */
  readonly body: string | Uint8Array | Iterable<string | Uint8Array | Interruption>;
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delivery?: Delivery;
}

/** An HTTP error in the shape of the request's format. */
export interface ErrorAnswer {
  readonly kind: 'error';
  readonly status: number;
  readonly message?: string;
  readonly errorType?: string;
  /** Headers such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly delivery?: Delivery;
}

/** The connection closes before any response. */
export interface HangUpAnswer {
  readonly kind: 'hang-up';
  readonly delivery?: Delivery;
}

/** One response of a script. */
export type ScriptedAnswer = MessageAnswer | BytesAnswer | ErrorAnswer | HangUpAnswer;
