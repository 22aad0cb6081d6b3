import type { Delivery } from './delivery.ts';
import type { Interruption } from './interruption.ts';
import type { JsonObject } from './json-object.ts';

/** A fragment of a text, or something that happens after the fragment before. */
export type Piece = string | Interruption;

/**
 * A part of what the model says. Each string of `pieces` becomes one delta.
 *
 * A stream reads pieces once and lazily, so they may be endless; a whole answer reads them several times.
 */
export type AnswerPart =
  | { readonly type: 'text'; readonly pieces: Iterable<Piece> }
  /** Thinking: signed by the upstream for Anthropic, `reasoning_content` for Chat (compatible servers). */
  | { readonly type: 'thinking'; readonly pieces: Iterable<Piece> }
  | CallPart
  /** A content block that arrives whole, such as Anthropic's `redacted_thinking`. Chat leaves it out. */
  | { readonly type: 'block'; readonly block: JsonObject }
  /** Something that happens between two parts. */
  | Interruption;

/** A call of a tool; `pieces` are fragments of the JSON text of its arguments. */
export interface CallPart {
  readonly type: 'call';
  readonly name: string;
  readonly pieces: Iterable<Piece>;
  /** Made from the number of the request and the position when left out. */
  readonly id?: string;
  /** Further fields of the call, such as Google's `extra_content` or Anthropic's `caller`. */
  readonly fields?: JsonObject;
}

/** Tokens that the upstream says were used. */
export interface Usage {
  /** All tokens of the prompt that no cache served or stored. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
}

/** How compatible servers differ from the provider whose format they speak. Each is off by default. */
export interface Deviations {
  /** The index of each call in a Chat stream: always 0, left out, or counted from 1. */
  readonly callIndex?: 'zero' | 'absent' | 'from-one';
  /** Calls in a Chat stream have no id. */
  readonly hasNoCallIds?: boolean;
  /** Each call of a Chat stream comes in one chunk, the last with the finish reason. */
  readonly hasWholeCalls?: boolean;
  /** Arguments are an object instead of a text (Chat; implies whole calls). */
  readonly hasObjectArguments?: boolean;
  /** The name of a call is split over three chunks (Chat). */
  readonly splitsNames?: boolean;
  /** The fragments of parallel calls take turns (Chat). */
  readonly interleavesCalls?: boolean;
  /** Every chunk names the role (Chat). */
  readonly repeatsRole?: boolean;
  /** The stream begins with a chunk without choices, as Azure's does with its filter results (Chat). */
  readonly hasLeadingChunk?: boolean;
  /** The stream ends without `[DONE]` (Chat). */
  readonly hasNoDone?: boolean;
  /** The stop reason is that of a text, although there are calls. */
  readonly stopsAsText?: boolean;
  /** The whole input of a call comes in `content_block_start` (Anthropic). */
  readonly hasInputInStart?: boolean;
  /** Calls have ids (Gemini, which gives them none). */
  readonly hasCallIds?: boolean;
  /** The stream has no `event:` lines (Anthropic). */
  readonly hasNoEventLines?: boolean;
}

/** A message of the model. The format of the request decides how it is written, whole or streamed. */
export interface MessageAnswer {
  readonly kind: 'message';
  readonly parts: readonly AnswerPart[];
  /** Made from the number of the request when left out. */
  readonly id?: string;
  /** `end`, `calls`, `length`, `refusal`, `pause`, or a provider's own word. By default what the parts say. */
  readonly stop?: string;
  /** Estimated from the lengths of request and answer when left out. */
  readonly usage?: Usage;
  /** Seconds since 1970, of Chat's `created`. A fixed time plus the number of the request when left out. */
  readonly createdSeconds?: number;
  /** Further fields of the message: Chat's `reasoning_details`, Anthropic's `container`. Streams carry them in their first event. */
  readonly fields?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly deviations?: Deviations;
  readonly delivery?: Delivery;
}

/** Bytes that are sent as they are. */
export interface BytesAnswer {
  readonly kind: 'bytes';
  /** Each element is written by itself and read only when the client has taken the ones before. */
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
  /** `retry-after`, for example. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly delivery?: Delivery;
}

/** The connection is closed before any answer. */
export interface HangUpAnswer {
  readonly kind: 'hang-up';
  readonly delivery?: Delivery;
}

/** One answer of a script. */
export type ScriptedAnswer = MessageAnswer | BytesAnswer | ErrorAnswer | HangUpAnswer;
