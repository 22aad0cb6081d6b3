import type { JsonObject, Span } from './json-splice.ts';

/** What a request is for: an answer of the model, or only the count of its tokens. */
export type Purpose = 'answer' | 'count_tokens';

/**
 * A request as far as Winnow acts on it. The request itself stays what it is: `bytes`, which is edited by splicing.
 *
 * Contract: plain data, never changed after `readRequest`; `body` is shared and must not be changed either.
 */
export interface RequestView {
  readonly purpose: Purpose;
  /** The body as it came; a plan without effect forwards this very array. */
  readonly bytes: Uint8Array;
  /** The same as text, a byte order mark included. All spans are positions in it. */
  readonly text: string;
  /** The same, parsed. For reading only: numbers may have lost digits and duplicate keys are gone. */
  readonly body: JsonObject;
  readonly spans: RequestSpans;
  readonly model: string | undefined;
  /** Whether the client asked for a stream. */
  readonly isStream: boolean;
  /** Whether the client of a stream asked for the usage in it. True for formats that always send it. */
  readonly wantsUsage: boolean;
  /** Every entry of the request's tools, in its order. */
  readonly tools: readonly ToolEntry[];
  readonly toolChoice: ToolChoice;
  /** Names of the tools that the visible history calls. */
  readonly calledNames: ReadonlySet<string>;
  /** Names of the tools whose result is in the visible history, the latest last. */
  readonly resultNames: readonly string[];
  /** Text of the last user message that has text; empty when there is none. */
  readonly query: string;
  /** Text of the first user message; empty when there is none. A session's key can be derived from it. */
  readonly firstUserText: string;
  /** What the client says about the identity of its conversation, the most telling first. */
  readonly sessionHints: readonly SessionHint[];
  /** The assistant's turns in the visible history. */
  readonly turns: readonly VisibleTurn[];
  /** Why this request must be forwarded as it is; undefined when it may be edited. */
  readonly bypass: BypassReason | undefined;
}

/** Where the parts of a request are in its text. */
export interface RequestSpans {
  /** The outermost object, from its opening to behind its closing brace. */
  readonly root: Span;
  /** The value of each member of the outermost object; of a key that is there twice, the last, which parsers read. */
  readonly members: ReadonlyMap<string, Span>;
  /** Each message, in order. */
  readonly messages: readonly Span[];
  /** Each entry of the tools, in order; none where they are no list. */
  readonly tools: readonly Span[];
}

/** One entry of a request's tools. */
export interface ToolEntry {
  /** Absent when the entry has none; such an entry is `other`. */
  readonly name: string | undefined;
  /** Empty when there is none. */
  readonly description: string;
  /** The entry as the client wrote it, parsed. */
  readonly definition: unknown;
  /** Where the entry is in the request's text. */
  readonly span: Span;
  /** `function`: positively recognised as a plain function of the client, the only kind that may be deferred. */
  readonly kind: 'function' | 'other';
  /** Whether a prompt cache breakpoint is set on the entry. */
  readonly isCacheMarked: boolean;
}

/** The client's `tool_choice`. `names` are the tools it forces or allows; empty when it names none. */
export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required';
  readonly names: readonly string[];
}

/** Where a conversation's identity was found, such as `prompt_cache_key`, and what it is. */
export interface SessionHint {
  readonly source: string;
  readonly value: string;
}

/** A turn of the assistant in the visible history. */
export interface VisibleTurn {
  /** Index of the message. */
  readonly position: number;
  /** Ids of its calls, in order. */
  readonly callIds: readonly string[];
}

/** Why a request is forwarded as it is. */
export type BypassReason =
  | 'no_function_tools'
  | 'several_choices'
  | 'legacy_functions'
  | 'client_defers'
  | 'name_collision'
  | 'assistant_prefill'
  | 'continued_thread';

/** Why a body could not be read. It is forwarded as it is: the provider knows best what to say about it. */
export type UnreadableReason =
  | 'not_utf8'
  /** It holds so many JSON values that parsing it would harm other requests. */
  | 'too_many_values'
  | 'not_json'
  | 'unknown_shape';

/** The answer of `readRequest`. */
export type RequestReading =
  | { readonly ok: true; readonly view: RequestView }
  | { readonly ok: false; readonly reason: UnreadableReason };

/**
 * How a found tool becomes visible: `swap` leaves deferred definitions out and appends the loaded ones; `native` marks
 * them in place and lets the result of a search refer to them.
 */
export type LoadMode = 'swap' | 'native';

/**
 * What to do with a request's tools. Plain data.
 *
 * Every function whose name is in `defer` is deferred, all other entries are kept. `swap` sends the kept entries in the client's
 * order, the search tool, then the `load` entries in the order of `load`. `native` sends every entry at its place, the
 * deferred ones marked, and the search tool behind the last; `load` is there what was loaded before the exchange, so that the tools
 * are the same on each of its rounds: what they find, their results refer to. A plan that defers nothing
 * and has no search tool leaves the tools untouched.
 */
export interface Plan {
  readonly loadMode: LoadMode;
  /** Names of the deferred tools, the loaded ones included. */
  readonly defer: readonly string[];
  /** Names among `defer` that searches have found, in load order. Names that are not deferred are ignored. */
  readonly load: readonly string[];
  readonly searchTool: SearchTool | undefined;
  /** Why the plan is as it is, for the record. */
  readonly reason: string;
}

/** The phantom: the small tool by which the model finds deferred ones. It takes one required string, `query`. */
export interface SearchTool {
  readonly name: string;
  readonly description: string;
}

/** A call that the model made. */
export interface ToolCall {
  /** Never empty: where the upstream sent none, one is made up, and the client is given the same. */
  readonly id: string;
  readonly name: string;
}

/** A call of the phantom. Malformed arguments are an empty query. */
export interface SearchCall extends ToolCall {
  readonly query: string;
}

/** One answer of the upstream: what the assistant said in it, phantom calls included. Plain data. */
export interface Turn {
  /** The assistant's message in the format's own JSON, as it came, unknown fields included. */
  readonly message: string;
  /** Calls for the client, in order. */
  readonly realCalls: readonly ToolCall[];
  /** Calls for us, in order. */
  readonly searches: readonly SearchCall[];
  /** Where the provider keeps what it ran for this turn, if anywhere: the next round has to name it. */
  readonly container?: string;
}

/** What the model is told about one of its searches. */
export interface SearchResult {
  /** The id of the `SearchCall` that it answers. */
  readonly callId: string;
  /**
   * - `found`: `tools` can be called now, the best first.
   * - `no_match`: nothing fits; `tools` is empty.
   * - `restored`: the search could not be answered, and all of `tools` can be called now.
   * - `limit`: no further search will be answered; `tools` is what can be called, as far as it is worth repeating.
   */
  readonly kind: 'found' | 'no_match' | 'restored' | 'limit';
  readonly tools: readonly FoundTool[];
}

/** A tool that a search result names. `description` may be of any length: the result's text has its first line. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
}

/** An answer of the upstream that the client has not seen whole, and what each of its searches was answered. */
export interface Round {
  readonly turn: Turn;
  /** One for each of the turn's searches. */
  readonly results: readonly SearchResult[];
}

/**
 * What the model said and was told around one visible turn, kept so that the next request can put it back.
 *
 * Contract: plain data that survives JSON; opaque to everybody but the format that made it.
 */
export interface HiddenTurn {
  readonly format: string;
  /** How the visible turn is recognised: its call ids, or a hash of its text and place. Any one is enough. */
  readonly keys: readonly string[];
  /** What the client saw, in the format's own normal form; a turn that reads otherwise is left alone. */
  readonly visible: string;
  /** Messages, in the format's own JSON, that stood before the visible part. */
  readonly before: readonly string[];
  /** The assistant's last message as it came, of which the client saw the visible part. */
  readonly message: string;
  /** Results, in the format's own JSON, of searches that stood beside real calls. */
  readonly results: readonly string[];
}

/** Tokens of one answer or of several, as the provider counts them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}
