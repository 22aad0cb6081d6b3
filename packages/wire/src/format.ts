import type { WireEvent } from './sse.ts';
import type {
  HiddenTurn,
  LoadMode,
  Plan,
  Purpose,
  RequestReading,
  RequestView,
  Round,
  Turn,
  Usage,
} from './view.ts';

/**
 * A provider's wire format: how to read a request, edit it, and make several answers read as one.
 *
 * One exchange in outline:
 *
 * ```ts
 * const reading = format.readRequest(bytes, { purpose, searchToolName });
 * const answer = format.joinAnswers(view, plan);
 * for (;;) {
 *   const request = format.editRequest(view, plan, { hiddenTurns, rounds });
 *   for await (const event of readEvents(response.body, contentType)) write(answer.feed(event));
 *   const end = answer.endRound();
 *   if (end.kind !== 'searching') break;
 *   rounds.push({ turn: end.turn, results: await resolve(end.turn.searches) });
 * }
 * write(end.kind === 'failed' ? answer.fail(end) : answer.finish());
 * ```
 *
 * Contract, proved for every format by `test/format-contract.ts`:
 * - All functions are pure and synchronous: no clock, no randomness, no input or output. Equal arguments give equal
 *   bytes, so a request may be edited again for every round, and the rounds' bytes share the longest possible prefix.
 * - Nothing is mutated that was passed in. Formats hold no state; only an `AnswerJoiner` does, for one exchange.
 * - Nothing here throws for what a client or an upstream may send.
 */
export interface Format {
  /** The format's name in configuration, records and hidden turns. */
  readonly name: string;
  /** Content type of the format's streams. */
  readonly streamContentType: string;
  /** What keeps a stream's line alive while nothing is to be said; harmless to every client known. */
  readonly heartbeat: string;

  /** What a request to this path is for, or undefined when the format does not handle it. `path` has no query string. */
  matchRoute(method: string, path: string): Purpose | undefined;

  /** Reads a body, decompressed, as far as Winnow acts on it. Linear in its size. */
  readRequest(bytes: Uint8Array, options: ReadOptions): RequestReading;

  /**
   * The request that goes upstream: the client's, with the tools of `plan`, the hidden turns that belong to its visible
   * turns put back, and the rounds of this exchange appended. Everything outside these spots stays byte for byte;
   * without any of them the answer is `view.bytes` itself.
   */
  editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array;

  /**
   * Whether a history holds thinking that the provider may refuse because a hidden turn around it is lost: then the request may be tried
   * again with `dropsThinking`.
   */
  holdsThinking(view: RequestView): boolean;

  /** Headers that a request edited by `plan` needs: each value is to be appended to what the client sent, once. */
  addedHeaders(plan: Plan): readonly AddedHeader[];

  /** The load modes that a model's name stands for, the preferred first; `swap` is always among them. */
  loadModes(model: string | undefined): readonly LoadMode[];

  /** The joiner for one exchange. */
  joinAnswers(view: RequestView, plan: Plan): AnswerJoiner;

  /**
   * What to keep of an exchange for later requests, undefined when the client saw everything there was.
   * `rounds` are all rounds of the exchange in order; the last is the one that was finished, its results answering the
   * searches that stood beside real calls (none, usually).
   */
  hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined;

  /** The body of an error that the proxy itself makes, to be sent with `status` as `application/json`. */
  errorBody(error: ProxyError): string;
}

/** What reading needs to know about the configuration. */
export interface ReadOptions {
  readonly purpose: Purpose;
  /** The phantom's name; a client with a tool of that name is left alone. */
  readonly searchToolName: string;
}

/** What was said before and is not in the client's request. */
export interface Past {
  /** Hidden turns of the session, oldest first. Those of other formats and those without a visible turn are ignored. */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Rounds of this exchange, in order. */
  readonly rounds: readonly Round[];
  /** Takes the thinking out of the history, as far as the provider lets it go. False by default. */
  readonly dropsThinking?: boolean;
}

/** A value for a header that holds a list. */
export interface AddedHeader {
  readonly name: string;
  readonly value: string;
}

/** An error of the proxy, before it has the format's shape. */
export interface ProxyError {
  /** The HTTP status that it is sent with, or would be. */
  readonly status: number;
  readonly message: string;
}

/**
 * Makes the answers of one exchange read as a single one.
 *
 * Whole and streamed answers go the same way: a whole JSON answer is one event of kind `whole`. For a stream, every
 * call returns the text that can go to the client now; for a whole answer everything comes with `finish`. The end of an
 * exchange that hides something also comes with `finish`, so that it can be stored before the client can go on. What the
 * client gets has one start, contiguous indexes from 0, one end, the first round's id, the last round's stop reason, the
 * sum of usages, and no trace of the phantom. When nothing was hidden, it is what the upstream sent.
 *
 * Contract: for one exchange and one caller; calls go feed*, endRound, and so on, then finish or fail, once.
 */
export interface AnswerJoiner {
  /** Whether anything of this exchange was given out to be sent to the client. */
  readonly hasStarted: boolean;
  /** What the rounds so far have used together, undefined when no upstream said. */
  readonly usage: Usage | undefined;
  /** Takes an event of the current round. Empty when nothing is to be sent now. */
  feed(event: WireEvent): string;
  /** Closes the current round: its body has ended. The next `feed` begins another. */
  endRound(): RoundEnd;
  /** The rest of a good answer, its end included. */
  finish(): string;
  /** The end of an answer that went wrong: the format's in-stream error, or as the whole answer an error body. */
  fail(failure: RoundFailure): string;
}

/** How a round ended. */
export type RoundEnd = RoundSearching | RoundFinished | RoundFailure;

/** The model only searched: answer `turn.searches` and go round again, or `finish` when that is not possible. */
export interface RoundSearching {
  readonly kind: 'searching';
  readonly turn: Turn;
}

/**
 * The answer is complete. Searches in `turn` stood beside real calls: answer them for `hideTurn`. Searches that were cut
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
   * - `upstream_error`: the upstream sent an error within its answer; `fail` passes it on as it came.
   * - `malformed_answer`: what came is not an answer of this format.
   * - `held_too_much`: more had to be held back than is allowed.
   * - `interrupted`: for the proxy's own use: a later round could not be asked for.
   */
  readonly reason: 'truncated' | 'upstream_error' | 'malformed_answer' | 'held_too_much' | 'interrupted';
  /** For people; goes to the client when the upstream gave no error of its own. */
  readonly message: string;
}
