import type { Framing } from '../framing/framing.ts';
import type { StreamEvent, WireEvent } from '../framing/wire-event.ts';
import type { Keep } from '../joining/keep.ts';
import type { UsageShown } from '../joining/shown-counts.ts';
import type { JsonObject } from '../json/json-splice.ts';
import type { BodyBytes } from '../request/body-bytes.ts';
import type { Vendor } from '../vendors/vendor.ts';
import type { HeaderValue, HostedQuery, Polyfilled } from './polyfilled.ts';
import type {
  HiddenTurn,
  LoadMode,
  Plan,
  Purpose,
  RequestReading,
  RequestView,
  Round,
  SearchCall,
  SearchResult,
  Turn,
  TurnKeys,
  Usage,
} from './view.ts';

/**
 * A provider's wire format: how to read a request, edit it, and make several responses read as one.
 *
 * One exchange in outline:
 *
 * ```ts
 * const reading = format.readRequest(bytes, { purpose, searchToolName, path, query });
 * const joiner = format.joinResponses(view, plan);
 * for (;;) {
 *   const request = format.editRequest(view, plan, { hiddenTurns, rounds });
 *   const framing = framingFor(format, view, contentType);
 *   for await (const event of readEvents(response.body, framing)) write(joiner.feed(event));
 *   const end = joiner.endRound();
 *   if (end.kind !== 'searching') break;
 *   rounds.push({ turn: end.turn, results: await resolve(end.turn.searches) });
 * }
 * write(end.kind === 'failed' ? joiner.fail(end) : joiner.finish());
 * ```
 *
 * where `write` encodes events in the framing of the client's side, which is that of the first response.
 *
 * Contract, proved for every format by `test/format-contract.ts`:
 * - All functions are pure and synchronous: no clock, no randomness, no input or output. Equal arguments give equal
 *   bytes, so a request may be edited again for every round, and the rounds' bytes share the longest possible prefix.
 * - Nothing is mutated that was passed in. Formats hold no state; only a `ResponseJoiner` does, for one exchange.
 * - Nothing here throws for what a client or an upstream may send.
 */
export interface Format {
  /** The format's name in configuration, records and hidden turns. */
  readonly name: string;
  /** Whose conventions its servers follow where the format itself says nothing: errors, load modes, refusals. */
  readonly vendor: Vendor;
  /**
   * What keeps a stream's line alive while nothing is to be said, harmless to every client known; undefined where there is no such thing. A
   * framing may have no bytes for it either.
   */
  readonly heartbeat: WireEvent | undefined;

  /** What a request to this path is for, or undefined when the format does not handle it. `path` has no query string. */
  matchRoute(method: string, path: string): Purpose | undefined;

  /** Reads a body, decompressed, as far as Winnow acts on it. Linear in its size. */
  readRequest(bytes: BodyBytes, options: ReadOptions): RequestReading;

  /**
   * The request that goes upstream: the client's, with the tools of `plan`, the hidden turns that belong to its visible
   * turns put back, and the rounds of this exchange appended. Everything outside these spots stays byte for byte;
   * without any of them the result is `view.bytes.whole` itself.
   */
  editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array;

  /**
   * Whether a history holds thinking that the provider may refuse because a hidden turn around it is lost: then the request may be tried
   * again with `dropsThinking`.
   */
  holdsThinking(view: RequestView): boolean;

  /**
   * Whether a history whose thinking was refused reads like one of which hidden turns are lost, and not like one that has begun before its
   * tools were touched: then the provider would refuse the original as well.
   */
  hasLostRounds(view: RequestView, plan: Plan): boolean;

  /**
   * The path and query to which an edited request goes, where they are others than the client's.
   * Without this function they never are.
   */
  editTarget?(view: RequestView, address: RequestAddress): RequestAddress;

  /**
   * The framing of a response to this request, where its content type does not tell; undefined where it does.
   * Without this function it always does.
   */
  framingOf?(view: RequestView, contentType: string | undefined): Framing | undefined;

  /**
   * How a server refuses an item of the history because of its id, under which it has stored nothing; undefined where items have no such ids.
   * Then the request is worth another try with `dropsIds`.
   */
  readonly unstoredRefusal?: { readonly statuses: readonly number[]; readonly words: RegExp };

  /**
   * The request with these tools behind the client's own, as if the client had declared them; undefined when it can have none beside what it
   * declares. Without this function no request can.
   */
  addTools?(view: RequestView, tools: readonly AddedTool[]): Uint8Array | undefined;

  /** Headers that a request edited by `plan` needs: each value is to be appended to what the client sent, once. */
  addedHeaders(plan: Plan): readonly AddedHeader[];

  /** The load modes that a model's name stands for, the preferred first; `swap` is always among them. */
  loadModes(model: string | undefined): readonly LoadMode[];

  /** The load modes that the format can write, whatever a model is called. */
  readonly writableModes: readonly LoadMode[];

  /** Set where native mode is what compatible servers have, and the vendor's own are known not to: there it is never tried. */
  readonly isNativeElsewhere?: true;

  /**
   * How a server that has taken deferred tools refuses a reference to one, in a result; undefined where deferral and references come together.
   * Then the same round is asked for once more by swap, and new conversations swap from the start.
   */
  readonly referenceRefusal?: { readonly statuses: readonly number[]; readonly words: RegExp };

  /** Whether a model of this name binds its thinking to the exact tools and messages before it. */
  bindsThinking(model: string | undefined): boolean;

  /** Whether thinking is on: the request asks for it, or its history holds some. */
  isThinking(view: RequestView): boolean;

  /** The joiner for one exchange. `usageShown` is `last` unless said otherwise; without `keep`, as much is kept as any response has. */
  joinResponses(view: RequestView, plan: Plan, usageShown?: UsageShown, keep?: Keep): ResponseJoiner;

  /** The keys of each visible turn of a history, in the order of `view.turns`. */
  historyKeys(view: RequestView): readonly TurnKeys[];

  /** The key of what was said before the first turn of the assistant. Many conversations may begin alike. */
  openingKey(view: RequestView): string;

  /** The keys of what the client sees of these rounds, once it sends that back; undefined when it sees nothing. Results do not matter. */
  shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined;

  /** The hidden turns that `editRequest` would put back, in the order of the history. */
  recall(view: RequestView, hiddenTurns: readonly HiddenTurn[]): readonly HiddenTurn[];

  /**
   * What to keep of an exchange for later requests, undefined when the client saw everything there was.
   * `rounds` are all rounds of the exchange in order; the last is the one that was finished, its results answering the
   * searches that stood beside real calls (none, usually).
   */
  hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined;

  /**
   * The request of a client that defers tools by itself, for an upstream that cannot; undefined for any other request, and without this function
   * for every one. The joiner of its response is made with a plan that changes nothing (`rewriteJoined`).
   */
  polyfill?(view: RequestView): Polyfilled | undefined;

  /**
   * The searches that a request leaves to the provider, for an upstream that runs none; undefined for any other request, and without this function
   * for every one.
   */
  hostedSearches?(view: RequestView): HostedSearches | undefined;

  /** Responses that the provider stores and clients name by their ids; undefined for formats without. */
  readonly storedResponses?: StoredResponses;
}

/**
 * Searches that the client leaves to the provider, in whose place the proxy answers them: its client sees them as the provider's own, and sends them back.
 *
 * Contract: pure, as the format; everything follows from the request.
 */
export interface HostedSearches {
  /** What the first request defers and shows. The calls that the proxy answers are those of its `offered`; none where only the history has some. */
  readonly plan: Plan;
  /** Searches of the last turn that nobody has answered: their results begin the response. */
  readonly open: readonly SearchCall[];
  /** Values that lists in the client's headers must not have upstream. */
  readonly removedHeaders: readonly HeaderValue[];
  queryOf(call: SearchCall): HostedQuery;
  /** What the format does otherwise in this exchange, the open searches answered with these. */
  answering(results: readonly SearchResult[]): Pick<Format, 'editRequest' | 'joinResponses'>;
}

/**
 * What a format says of responses that its provider stores: clients go on from one by its id, and ask for one by its id. Where several rounds
 * read as one response, that id stands for all of them.
 *
 * Contract: pure, as the format.
 */
export interface StoredResponses {
  /** The id of the response that a request goes on from; undefined when it names none. */
  previousId(view: RequestView): string | undefined;
  /** The id that the client was given of the exchange that ends with this turn; undefined when the provider does not keep it. */
  idOf(view: RequestView, turn: Turn): string | undefined;
  /** What to remember of an exchange by that id. `earlier` is what was known of the response that it goes on from. */
  aliasOf(
    view: RequestView,
    plan: Plan,
    rounds: readonly Round[],
    earlier: ResponseAlias | undefined,
  ): ResponseAlias | undefined;
  /** The request about one response that this is; undefined for any other. */
  matchRoute(method: string, address: RequestAddress): StoredRequest | undefined;
  /** The addresses that such a request goes to, in order: the client gets what the last one brings. */
  targetsOf(request: StoredRequest, alias: ResponseAlias): readonly RequestAddress[];
  /** The body of that, as the client may see it: its own id, and no trace of the search tool. */
  showStored(body: string, alias: ResponseAlias, searchToolName: string): string;
}

/** A request about one response that the provider stores. */
export interface StoredRequest {
  /** The id in its path. */
  readonly id: string;
  readonly action: 'get' | 'delete' | 'cancel' | 'input_items';
  /** The path in front of the id, and behind it. */
  readonly around: readonly [before: string, behind: string];
  readonly query: string;
  /** Whether the response is to be streamed once more: then its numbers would be the provider's. */
  readonly isStream: boolean;
}

/** Where a request goes, as the client wrote it, without what the proxy put in front. */
export interface RequestAddress {
  readonly path: string;
  /** From its question mark on; empty when there is none. */
  readonly query: string;
}

/** What reading needs to know beside the body. */
export interface ReadOptions extends RequestAddress {
  readonly purpose: Purpose;
  /** The search tool's name; a client with a tool of that name is left alone. */
  readonly searchToolName: string;
  /** Takes memory before it is used, in bytes; false where there is none: then the request is not read. Without it there always is. */
  readonly take?: ((bytes: number) => boolean) | undefined;
}

/** What was said before and is not in the client's request. */
export interface Past {
  /** Hidden turns that may belong to the history. Those of other formats and those without a visible turn are ignored. */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Rounds of this exchange, in order. */
  readonly rounds: readonly Round[];
  /** Takes the thinking out of the history, as far as the provider lets it go. False by default. */
  readonly dropsThinking?: boolean;
  /** Leaves out the ids of what the client has not seen, and of what stands in one turn with it. False by default. */
  readonly dropsIds?: boolean;
  /** What is known of the stored response that the request goes on from. */
  readonly alias?: ResponseAlias | undefined;
}

/**
 * What is known of a response that the provider stores, by the id that the client has of it.
 *
 * Contract: plain data that survives JSON; says nothing of what was said, but for the results of calls that the proxy answered.
 */
export interface ResponseAlias {
  readonly id: string;
  /** Ids of the exchange's responses at the provider, in order: the last is the one to go on from. */
  readonly rounds: readonly string[];
  /** Names of the tools that were loaded by then, in load order. */
  readonly names: readonly string[];
  /** Results of searches that stood beside real calls, as the format keeps them: they are answered with those. */
  readonly results: readonly string[];
  /** Names of tools that the proxy offered in the exchange; absent when it offered none. */
  readonly offered?: readonly string[] | undefined;
}

/** A tool that a request is given. */
export interface AddedTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object. */
  readonly parameters: JsonObject;
}

/** A value for a header that holds a list. */
export interface AddedHeader {
  readonly name: string;
  readonly value: string;
}

/**
 * Makes the responses of one exchange read as a single one.
 *
 * Whole and streamed responses go the same way: a whole JSON body is one event of kind `whole`. For a stream, every
 * call returns the events that can go to the client now; for a whole response everything comes with `finish`. The end of an
 * exchange that hides something also comes with `finish`, so that it can be stored before the client can go on. What the
 * client gets has one start, contiguous indexes from 0, one end, the first round's id, the last round's stop reason, one
 * usage (`shownCounts`), and no trace of the search tool. When nothing was hidden, it is what the upstream sent: the same events.
 *
 * Contract: for one exchange and one caller; calls go feed*, endRound, and so on, then finish or fail, once.
 */
export interface ResponseJoiner {
  /** Whether anything of this exchange was given out to be sent to the client. */
  readonly hasStarted: boolean;
  /**
   * Whether anything of that shows: text, thinking, a call, a block of the provider's own. The start of a stream, empty texts and what keeps the
   * line alive do not: until then the response can still become another one.
   */
  readonly hasShown: boolean;
  /** What the rounds so far have used together, undefined when no upstream said. */
  readonly usage: Usage | undefined;
  /** What the provider said of how it took the current round's request; undefined when it said nothing, and for formats that have no words for it. */
  readonly notices?: RoundNotices | undefined;
  /** Whether the current round has come to its terminal event: what its connection does afterwards is nobody's concern. */
  readonly isRoundOver: boolean;
  /**
   * The start of the stream as it reads by now, where a later round says something else in it: it stands in for the event of the same name that
   * was given out, as long as the client has not got that. Undefined where the start is as it was given; a format may do without.
   */
  readonly amendedStart?: StreamEvent | undefined;
  /** Takes an event of the current round. Empty when nothing is to be sent now. */
  feed(event: WireEvent): readonly WireEvent[];
  /** Takes the results of the last round's searches, which begin the next one; only joiners have it whose clients see searches. */
  takeResults?(results: readonly SearchResult[]): void;
  /** Closes the current round: its body has ended. The next `feed` begins another. */
  endRound(): RoundEnd;
  /**
   * Forgets what was fed since the last round that ended well, a failure included, so that the round can be asked for again. What it gave out
   * must not reach the client.
   */
  abandonRound(): void;
  /**
   * Forgets that the response was begun, as long as nothing of it shows: the next round begins it, under its own id. What was given out until now must not
   * reach the client. To be called between two rounds; without this function the first round always begins it.
   */
  retractStart?(): void;
  /** The rest of a good response, its end included. */
  finish(): readonly WireEvent[];
  /** The end of a response that went wrong: the format's in-stream error, or as the whole response an error body. */
  fail(failure: RoundFailure): readonly WireEvent[];
}

/** What a provider says of how it took a request, in its own words. */
export interface RoundNotices {
  /** How many items of reasoning in the history were kept from the model, by why. */
  readonly withheldReasoning?: Readonly<Record<string, number>>;
  /** Why the prompt was not read from the cache, and how many tokens of it. */
  readonly cacheMiss?: { readonly reason: string; readonly missedTokens: number };
}

/** How a round ended. */
export type RoundEnd = RoundSearching | RoundFinished | RoundFailure;

/** The model only searched: answer `turn.searches` and go round again, or `finish` when that is not possible. */
export interface RoundSearching {
  readonly kind: 'searching';
  readonly turn: Turn;
}

/**
 * The response is complete. Searches in `turn` stood beside real calls: answer them for `hideTurn`. Searches that were cut
 * off, or that a refusal ended, are not among them.
 */
export interface RoundFinished {
  readonly kind: 'finished';
  readonly turn: Turn;
  /** The provider's own word for why it ended, undefined when it gave none. */
  readonly stopReason: string | undefined;
}

/** The round did not come to its end. */
export interface RoundFailure {
  readonly kind: 'failed';
  /**
   * - `truncated`: the stream ended in the middle.
   * - `upstream_error`: the upstream sent an error within its response; `fail` passes it on as it came.
   * - `malformed_answer`: what came is not a response of this format.
   * - `held_too_much`: more had to be held back than is allowed.
   * - `interrupted`: for the proxy's own use: a later round got no response, or was refused.
   */
  readonly reason: 'truncated' | 'upstream_error' | 'malformed_answer' | 'held_too_much' | 'interrupted';
  /** For people; goes to the client when the upstream gave no error of its own. */
  readonly message: string;
  /** The response with which the upstream refused a later round: its error is passed on in the stream. */
  readonly refusal?: { readonly status: number; readonly body: string };
}
