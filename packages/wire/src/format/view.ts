import type { BypassReason, JsonPath, PlanReason, Span, UnreadableReason } from '@winnow/core';
import type { BodyBytes } from '../json/body-bytes.ts';
import type { JsonObject } from '../json/json-value.ts';

/** The purpose of a request: a response of the model, or only a count of its tokens. */
export type Purpose = 'answer' | 'count_tokens';

/**
 * The parts of a request that Winnow uses. The request itself stays in `bytes`, which is edited by splicing.
 *
 * Contract: plain data, never changed after `readRequest`; `body` is shared and must not be changed either.
 */
export interface RequestView
  extends RequestText,
    RequestAims,
    RequestTools,
    RequestHistory,
    ConversationWords {}

/** The purpose, model and options of a request. */
interface RequestAims {
  readonly purpose: Purpose;
  /** The parsed body. For reading only: numbers may have lost digits, and duplicate keys are gone. */
  readonly body: JsonObject;
  readonly model: string | undefined;
  /** Whether the client asked for a stream. */
  readonly isStream: boolean;
  /** Whether the client of a stream asked for the usage in it. True for formats that always send it. */
  readonly wantsUsage: boolean;
  /** The reason why this request must be forwarded unchanged; undefined when it may be edited. */
  readonly bypass: BypassReason | undefined;
}

interface RequestTools {
  /** The part of the request that declares tools; undefined when there is none. */
  readonly toolSection: ToolSection | undefined;
  /** Every entry of the request's tools, in the order of the section. */
  readonly tools: readonly ToolEntry[];
  readonly toolChoice: ToolChoice;
}

interface RequestHistory {
  /** Each element of the history, parsed. */
  readonly history: readonly unknown[];
  /** The assistant's turns in the visible history. */
  readonly turns: readonly VisibleTurn[];
  /** Names of the tools that the visible history calls. */
  readonly calledNames: ReadonlySet<string>;
  /** Names of the tools whose result is in the visible history, the latest last. */
  readonly resultNames: readonly string[];
}

/** The texts that identify a conversation and serve as its search query. */
interface ConversationWords {
  /** Text of each user message, in order; empty for one without text, such as a tool's result. */
  readonly userTexts: readonly string[];
  /** Text of the last user message that has text; empty when there is none. */
  readonly query: string;
  /** Text of the first user message; empty when there is none. A session's key can be derived from it. */
  readonly firstUserText: string;
  /** Texts of the system prompt: those before the first user message. */
  readonly systemTexts: readonly string[];
  /**
   * Texts of the first user message and of the user messages directly after it, one for each that has text.
   */
  readonly openingTexts: readonly string[];
  /** The client's hints about the identity of its conversation, the strongest first. */
  readonly sessionHints: readonly SessionHint[];
}

/** A request's body, to be edited by `writeRequest`. */
export interface RequestText {
  /** The body as received; a plan without effect forwards it whole. */
  readonly bytes: BodyBytes;
  /**
   * The request as text, including a byte order mark. All spans are positions in it. Known tools are not
   * decoded again: an empty list takes their place.
   */
  readonly text: string;
  /** The bytes of the tools for which `text` has an empty list; undefined when `text` is the whole body. */
  readonly toolBytes: Uint8Array | undefined;
  readonly spans: RequestSpans;
  /** The body around `text`, if the request is a base64 string in its body. Absent when `text` is the body. */
  readonly wrapped?: WrappedText | undefined;
}

/** The text of a body around the base64 string that is the request. */
export interface WrappedText {
  readonly before: string;
  readonly after: string;
}

/** The positions of a request's parts in its text. */
export interface RequestSpans {
  /** The outermost object, including both braces. */
  readonly root: Span;
  /**
   * The value of each member of the outermost object. For a duplicate key, the last one, which parsers read.
   */
  readonly members: ReadonlyMap<string, Span>;
  /** Each element of the history, in order. */
  readonly history: readonly Span[];
  /**
   * The value that declares the tools, at the position of the section's text. Undefined when there is none.
   */
  readonly tools: Span | undefined;
}

/**
 * The value in a request that declares its tools: a list, or an object with lists in it.
 *
 * Contract: plain data, never changed. Requests with the same section text may share one.
 */
export interface ToolSection {
  /** The section as the client wrote it. */
  readonly text: string;
  /** The same entry, parsed. */
  readonly value: unknown;
  /** The lists that contain entries, in the order of the text. */
  readonly lists: readonly ToolList[];
  readonly entries: readonly ToolEntry[];
}

/** A list of tools within a section. */
export interface ToolList {
  /** The span from bracket to bracket, in the section's text. */
  readonly span: Span;
  /** The path to the list in the section's value; empty when the list is that value. */
  readonly path: JsonPath;
}

/** One entry of a request's tools. */
export interface ToolEntry {
  /** Undefined when the entry has no name; such an entry is `other`. */
  readonly name: string | undefined;
  /** Empty when there is none. */
  readonly description: string;
  /** The entry as the client wrote it. */
  readonly text: string;
  /** The same entry, parsed. */
  readonly definition: unknown;
  /** The position of the entry in the section's text. */
  readonly span: Span;
  /** The list that contains the entry. */
  readonly list: ToolList;
  /** `function`: known to be a plain function of the client, the only kind that may be deferred. */
  readonly kind: 'function' | 'other';
  /** Whether a prompt cache breakpoint is set on the entry. */
  readonly isCacheMarked: boolean;
}

/** The client's `tool_choice`. `names` are the tools it forces or allows; empty when it names none. */
export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required';
  readonly names: readonly string[];
}

/** A conversation's identity and its source, such as `prompt_cache_key`. */
export interface SessionHint {
  readonly source: string;
  readonly value: string;
}

/** A turn of the assistant in the visible history. */
export interface VisibleTurn {
  /** The index of its first element in the history. */
  readonly position: number;
  /** Ids of its calls, in order. */
  readonly callIds: readonly string[];
}

/** The result of reading a request. */
export type RequestReading =
  | { readonly ok: true; readonly view: RequestView }
  | { readonly ok: false; readonly reason: UnreadableReason };

/** The way a found tool becomes callable. */
export type LoadMode = Plan['loadMode'];

/**
 * The treatment of a request's tools. Plain data.
 *
 * Every function whose name is in `defer` is deferred; all other entries are kept. The load modes differ in
 * how a deferred tool can be called. A plan that defers nothing and has no search tool leaves the tools
 * untouched.
 */
export type Plan = SwapPlan | NativePlan | BridgePlan;

/** The members of every plan. */
interface PlanBase {
  /** Names of the deferred tools, including the loaded ones. */
  readonly defer: readonly string[];
  /**
   * Names among `defer` that can be called already, in load order. Names that are not deferred are ignored.
   */
  readonly load: readonly string[];
  readonly searchTool: SearchTool | undefined;
  /**
   * Names of tools that the proxy offers in addition to the client's. It answers their calls, and the client
   * does not see them. The request already contains them (`offerTools`); no plan defers them. Empty when
   * absent.
   */
  readonly offered?: readonly string[] | undefined;
  /**
   * Set when the model must answer without another call and its tools may not change. Formats that cannot say
   * so (Converse, Ollama) rely on the last result, which says that no further search is answered.
   */
  readonly forbidsCalls?: true | undefined;
  /** The reason for the plan, for the record. */
  readonly reason: PlanReason;
}

/**
 * Leaves deferred definitions out. The request has the kept entries in the client's order, the search tool,
 * then the `load` entries in the order of `load`.
 */
interface SwapPlan extends PlanBase {
  readonly loadMode: 'swap';
}

/**
 * Marks deferred definitions in their places and lets the result of a search refer to them; the search tool
 * follows the last entry. `load` is the tools loaded before the exchange, so that the tools are the same in
 * each of its rounds.
 */
interface NativePlan extends PlanBase {
  readonly loadMode: 'native';
  /** Absent when no tool is preloaded. */
  readonly preload?: Preload | undefined;
}

/**
 * Leaves deferred definitions out and calls them through the bridge tool. The request has the kept entries in
 * the client's order, the search tool, then the bridge tool, the same in every request. Definitions reach the
 * model as text; `load` is the tools whose definition the request holds.
 */
export interface BridgePlan extends PlanBase {
  readonly loadMode: 'bridge';
  readonly bridgeTool: BridgeTool;
  /**
   * Names of the tools that may be deferred, whether or not this request's `tool_choice` keeps some. Calls of
   * these in the history are written as calls of the bridge tool.
   */
  readonly bridged: readonly string[];
  /** Absent when no tool is preloaded. */
  readonly preload?: Preload | undefined;
  /**
   * Set when the request continues from a stored response that is not known. The model may have read any
   * definition in it.
   */
  readonly hasUnknownPast?: true;
}

/**
 * Tools that become part of a conversation directly after its first message, so that what precedes that
 * message is the same in every conversation. Only for requests that contain the message.
 */
export interface Preload {
  /** Names among `defer`, in bridge mode among `bridged`, the best first; never empty. */
  readonly names: readonly string[];
  readonly form: PreloadForm;
  /** Groups that the search tool does not name and that may fit; written in the forms `names` and `text`. */
  readonly groups?: readonly string[];
}

/**
 * The way in which a request brings preloaded tools:
 * - `change`: a system message adds them to the conversation (Messages).
 * - `search`: a search that the model seems to have made, with its result.
 * - `names`: a line of the first message names them, to be loaded by a search for the exact name.
 * - `text`: the first message ends in their definitions (bridge mode).
 */
export type PreloadForm = 'change' | 'search' | 'names' | 'text';

/** The bridge tool, through which the model calls deferred tools: `{"name": …, "arguments": {…}}`. */
interface BridgeTool {
  readonly name: string;
  readonly description: string;
}

/**
 * The search tool: the small tool with which the model finds deferred ones. It takes `queries`, a list of short
 * phrases.
 */
export interface SearchTool {
  readonly name: string;
  readonly description: string;
}

/** A call that the model made. */
export interface ToolCall {
  /** Never empty: an id is generated where the upstream sent none, and the client receives it, too. */
  readonly id: string;
  readonly name: string;
}

/** A call of the search tool, or of another tool that the proxy answers. */
export interface SearchCall extends ToolCall {
  /** The phrases of a search, empty for malformed arguments; empty for any other call. */
  readonly queries: readonly string[];
  /** The arguments of a call of an offered tool; undefined for a search, and when they are not an object. */
  readonly input?: JsonObject | undefined;
}

/** One response of the upstream: the assistant's message, including its searches. Plain data. */
export interface Turn {
  /** The assistant's original message in the format's own JSON, including unknown fields. */
  readonly message: string;
  /** Calls for the client, in order. */
  readonly realCalls: readonly ToolCall[];
  /** Calls for the proxy, in order. */
  readonly searches: readonly SearchCall[];
  /** Positions in the message of thinking that the client has not seen. Absent when there is none. */
  readonly unshown?: readonly number[];
  /** Calls whose form upstream is not the canonical one. Absent when there are none. */
  readonly exact?: readonly ExactCall[];
  /** The state that the format needs from this turn in later rounds; opaque to all other code. */
  readonly state?: unknown;
}

/**
 * The form in which the model wrote a call of a deferred tool, without its arguments. Without this note, a
 * history has the canonical bridge call: correct, but not what the provider has cached.
 *
 * Contract: plain data that survives JSON.
 */
export interface ExactCall {
  /** Its place among the turn's calls for the client. */
  readonly at: number;
  /** The name of the tool for the client. */
  readonly name: string;
  /** The text around the inner arguments; absent for a call by the tool's own name. */
  readonly around?: readonly [before: string, after: string];
  /** Set when the inner arguments are not an object in between: a string of JSON, or left out. */
  readonly inner?: 'text' | 'none';
}

/** The answer to one of the model's searches, or to a call of an offered tool. */
export interface SearchResult {
  /** The id of the answered `SearchCall`. */
  readonly callId: string;
  /**
   * - `found`: `tools` can be called now, the best first.
   * - `weak`: `tools` match too little to be loaded; the model can search for one by its exact name.
   * - `no_match`: no tool matches; `tools` is empty.
   * - `restored`: the search could not be answered, and all of `tools` can be called now.
   * - `limit`: no further search will be answered; `tools` are the callable tools that are worth repeating.
   * - `answered`: a call of an offered tool with the result `text`; `tools` is empty.
   */
  readonly kind: 'found' | 'weak' | 'no_match' | 'restored' | 'limit' | 'answered';
  readonly tools: readonly FoundTool[];
  /** Words of the search that no tool contains, for `weak` and `no_match`. */
  readonly unknownWords?: readonly string[];
  /** Queries of a `found` search of several that found nothing certain. */
  readonly doubts?: readonly QueryDoubt[];
  /** Names of further matches, which are not loaded, the best first. */
  readonly next?: readonly string[];
  /** The result text for `answered`; empty otherwise. */
  readonly text?: string;
  /** Whether the call of an `answered` result failed, which some formats can mark. False by default. */
  readonly isError?: boolean;
}

/** A query without a certain match, and the tools that come nearest. */
interface QueryDoubt {
  readonly query: string;
  readonly tools: readonly FoundTool[];
  readonly unknownWords: readonly string[];
}

/**
 * A tool that a search result names. `description` may be of any length; the result's text has its first
 * line.
 */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
}

/** A response of the upstream that the client has not seen in full, and the results of its searches. */
export interface Round {
  readonly turn: Turn;
  /** One result for each of the turn's searches. */
  readonly results: readonly SearchResult[];
}

/**
 * The hidden messages and results around one visible turn, kept so that the next request can put them back.
 *
 * Contract: plain data that survives JSON; opaque to all code but the format that made it.
 */
export interface HiddenTurn {
  readonly format: string;
  /** The keys that identify the visible turn. Any one is enough. */
  readonly keys: TurnKeys;
  /** Names found by its searches, in load order, each once. */
  readonly names: readonly string[];
  /** The visible part in the format's own normal form. A turn that reads differently is left alone. */
  readonly visible: string;
  /**
   * The elements before the visible part: messages in the format's own JSON, and results in their kept form.
   */
  readonly before: readonly string[];
  /** The assistant's original last message, of which the client saw the visible part. */
  readonly message: string;
  /** Results, in their kept form, of searches that came together with real calls. */
  readonly results: readonly string[];
  /** The exact forms of calls in it. Absent when all are canonical. */
  readonly exact?: readonly ExactCall[];
}

/** The keys that identify a visible assistant turn in a later request, within one tenant and format. */
export interface TurnKeys {
  /**
   * Keys that no other turn has, wherever it is: the trusted id of a call, or a hash of its thinking's
   * signature.
   */
  readonly own: readonly string[];
  /**
   * The hash of the whole visible conversation up to and including the turn, without thinking. It is used
   * when the turn has no own key, or shares it with another turn. Two users with equal conversations have
   * equal hashes, so it may only be used among those who share a credential. Undefined for formats whose
   * turns all have own keys.
   */
  readonly conversation: string | undefined;
}

/** Tokens of one or several responses, as the provider counts them. */
export interface Usage {
  /** All input tokens, including those that the prompt cache supplied or stored. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /**
   * The input tokens read from the prompt cache. Like the next two, absent when the provider does not report
   * them.
   */
  readonly cachedInputTokens?: number;
  /** The input tokens written to the prompt cache. */
  readonly cacheWriteTokens?: number;
  /** The written tokens that are kept for an hour (Anthropic). Absent when there are none. */
  readonly longCacheWriteTokens?: number;
}
