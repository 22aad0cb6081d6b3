import type { BypassReason, PlanReason, UnreadableReason } from '@winnow/contract';
import type { JsonObject, JsonPath, Span } from '../json/json-splice.ts';
import type { BodyBytes } from '../request/body-bytes.ts';

/** The purpose of a request: an answer of the model, or only the count of its tokens. */
export type Purpose = 'answer' | 'count_tokens';

/**
 * A request as far as Winnow acts on it. The request itself stays what it is: `bytes`, which is edited by splicing.
 *
 * Contract: plain data, never changed after `readRequest`; `body` is shared and must not be changed either.
 */
export interface RequestView
  extends RequestText,
    RequestAims,
    RequestTools,
    RequestHistory,
    ConversationWords {}

/** The aims of a request. */
export interface RequestAims {
  readonly purpose: Purpose;
  /** The body, parsed. For reading only: numbers may have lost digits and duplicate keys are gone. */
  readonly body: JsonObject;
  readonly model: string | undefined;
  /** Whether the client asked for a stream. */
  readonly isStream: boolean;
  /** Whether the client of a stream asked for the usage in it. True for formats that always send it. */
  readonly wantsUsage: boolean;
  /** Why this request must be forwarded as it is; undefined when it may be edited. */
  readonly bypass: BypassReason | undefined;
}

/** The tools of a request. */
export interface RequestTools {
  /** The part of the request that declares tools; undefined when there is none. */
  readonly toolSection: ToolSection | undefined;
  /** Every entry of the request's tools, in its order: those of the section. */
  readonly tools: readonly ToolEntry[];
  /**
   * The tools that the client declared, as it wrote them, or an empty list, where the proxy has added tools to the request. Undefined where it has
   * added none.
   */
  readonly clientTools?: string | undefined;
  readonly toolChoice: ToolChoice;
}

/** The history of a request. */
export interface RequestHistory {
  /** Each element of the history, parsed. */
  readonly history: readonly unknown[];
  /** The assistant's turns in the visible history. */
  readonly turns: readonly VisibleTurn[];
  /** Names of the tools that the visible history calls. */
  readonly calledNames: ReadonlySet<string>;
  /** Names of the tools whose result is in the visible history, the latest last. */
  readonly resultNames: readonly string[];
}

/** The words by which a conversation is searched for and recognised. */
export interface ConversationWords {
  /** Text of the last user message that has text; empty when there is none. */
  readonly query: string;
  /** Text of the first user message; empty when there is none. A session's key can be derived from it. */
  readonly firstUserText: string;
  /** Texts of the system prompt: those ahead of the first user message. */
  readonly systemTexts: readonly string[];
  /** Texts of the first user message and of those that follow it at once, one for each that has text. */
  readonly openingTexts: readonly string[];
  /** The client's hints at the identity of its conversation, the strongest first. */
  readonly sessionHints: readonly SessionHint[];
}

/** A request's body, to be edited by `writeRequest`. */
export interface RequestText {
  /** The body as it came; a plan without effect forwards it whole. */
  readonly bytes: BodyBytes;
  /**
   * The same as text, a byte order mark included. All spans are positions in it. Tools that are known are not made text again: then an empty
   * list stands in their place.
   */
  readonly text: string;
  /** The bytes of the tools where `text` has an empty list in their place; undefined when `text` is the whole body. */
  readonly toolBytes: Uint8Array | undefined;
  readonly spans: RequestSpans;
}

/** Where the parts of a request are in its text. */
export interface RequestSpans {
  /** The outermost object, from its opening to behind its closing brace. */
  readonly root: Span;
  /** The value of each member of the outermost object; of a key that is there twice, the last, which parsers read. */
  readonly members: ReadonlyMap<string, Span>;
  /** Each element of the history, in order. */
  readonly history: readonly Span[];
  /** The value that declares the tools: where the section's text stands. Undefined when there is none. */
  readonly tools: Span | undefined;
}

/**
 * The value of a request that declares its tools, whatever it is: a list, or an object with lists somewhere within.
 *
 * Contract: plain data, never changed. Requests with the same text of it may share one.
 */
export interface ToolSection {
  /** As the client wrote it. */
  readonly text: string;
  /** The same, parsed. */
  readonly value: unknown;
  /** The lists in which entries stand, in the order of the text. */
  readonly lists: readonly ToolList[];
  readonly entries: readonly ToolEntry[];
}

/** A list of tools within a section. */
export interface ToolList {
  /** From bracket to bracket, in the section's text. */
  readonly span: Span;
  /** Where the list is within the section's value: empty when it is that value. */
  readonly path: JsonPath;
}

/** One entry of a request's tools. */
export interface ToolEntry {
  /** Absent when the entry has none; such an entry is `other`. */
  readonly name: string | undefined;
  /** Empty when there is none. */
  readonly description: string;
  /** The entry as the client wrote it. */
  readonly text: string;
  /** The same, parsed. */
  readonly definition: unknown;
  /** Where the entry is in the section's text. */
  readonly span: Span;
  /** The list that it is an element of. */
  readonly list: ToolList;
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
  /** Index of its first element in the history. */
  readonly position: number;
  /** Ids of its calls, in order. */
  readonly callIds: readonly string[];
}

/** What became of reading a request. */
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
  /**
   * Names of tools in the request that the proxy offers, beside the client's: it answers their calls, and the client sees nothing of them. None when
   * it is left out. The request has them already (`Format.addTools`); no plan defers them.
   */
  readonly offered?: readonly string[] | undefined;
  /** Set where the model has to answer without another call, and its tools may not change: its thinking is bound to them. */
  readonly forbidsCalls?: true;
  /** Why the plan is as it is, for the record. */
  readonly reason: PlanReason;
}

/** The search tool: the small tool by which the model finds deferred ones. It takes one required string, `query`. */
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

/** A call of the search tool, or of another tool that the proxy answers. */
export interface SearchCall extends ToolCall {
  /** Of a search: malformed arguments are an empty query. Empty for any other call. */
  readonly query: string;
  /** The arguments of a call of an offered tool; undefined for a search, and for what is no object. */
  readonly input?: JsonObject | undefined;
}

/** One response of the upstream: what the assistant said in it, searches included. Plain data. */
export interface Turn {
  /** The assistant's message in the format's own JSON, as it came, unknown fields included. */
  readonly message: string;
  /** Calls for the client, in order. */
  readonly realCalls: readonly ToolCall[];
  /** Calls for us, in order. */
  readonly searches: readonly SearchCall[];
  /** What the format needs of this turn in later rounds; opaque to everybody else. */
  readonly state?: unknown;
}

/** What the model is told about one of its searches, or of its calls of offered tools. */
export interface SearchResult {
  /** The id of the `SearchCall` that it answers. */
  readonly callId: string;
  /**
   * - `found`: `tools` can be called now, the best first.
   * - `no_match`: nothing fits; `tools` is empty.
   * - `restored`: the search could not be answered, and all of `tools` can be called now.
   * - `limit`: no further search will be answered; `tools` is what can be called, as far as it is worth repeating.
   * - `answered`: a call of an offered tool, of which `text` is the result; `tools` is empty.
   */
  readonly kind: 'found' | 'no_match' | 'restored' | 'limit' | 'answered';
  readonly tools: readonly FoundTool[];
  /** Of what is `answered`; empty for any other. */
  readonly text?: string;
  /** Of what is `answered`: the call failed, which some formats have a mark for. False by default. */
  readonly isError?: boolean;
}

/** A tool that a search result names. `description` may be of any length: the result's text has its first line. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
}

/** A response of the upstream that the client has not seen whole, and what each of its searches was answered. */
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
  /** How the visible turn is recognised. Any one key is enough. */
  readonly keys: TurnKeys;
  /** Names that its searches found, in load order, each once. */
  readonly names: readonly string[];
  /** What the client saw, in the format's own normal form; a turn that reads otherwise is left alone. */
  readonly visible: string;
  /** What stood before the visible part: messages in the format's own JSON, and results as they are kept. */
  readonly before: readonly string[];
  /** The assistant's last message as it came, of which the client saw the visible part. */
  readonly message: string;
  /** Results, as they are kept, of searches that stood beside real calls. */
  readonly results: readonly string[];
}

/** How a visible turn of the assistant is recognised in a later request, within one tenant and format. */
export interface TurnKeys {
  /** Keys that no other turn has, wherever it stands: an id of a call that can be trusted, or a hash of what signs its thinking. */
  readonly own: readonly string[];
  /**
   * The hash of the whole visible conversation up to and including the turn, thinking apart: it counts where a key of the turn's own is missing,
   * or turns out to be another turn's as well. Two users who say the same have the same, so that it may only count among those who share a
   * credential. Undefined for formats whose turns all have keys of their own.
   */
  readonly conversation: string | undefined;
}

/** Tokens of one response or of several, as the provider counts them. */
export interface Usage {
  /** All of the input side, what a prompt cache held or took included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input, what was read from the prompt cache. Absent where the provider does not report it, as are the next two. */
  readonly cachedInputTokens?: number;
  /** Of the input, what was written to the prompt cache. */
  readonly cacheWriteTokens?: number;
  /** Of what was written, that which is kept for an hour (Anthropic). Absent when it is nothing. */
  readonly longCacheWriteTokens?: number;
}
