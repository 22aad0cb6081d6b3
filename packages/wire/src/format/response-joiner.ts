import type { Framing } from '../framing/framing.ts';
import type { StreamEvent, WireEvent } from '../framing/wire-event.ts';
import type { Keep } from '../joining/keep.ts';
import type { UsageShown } from '../joining/shown-counts.ts';
import type { Plan, RequestView, SearchResult, Turn, Usage } from './view.ts';

/** Joins the responses of an exchange. */
export interface ResponseJoining {
  /**
   * The framing of a response to this request, where its content type does not tell; undefined where it does.
   * Without this function it always does.
   */
  framingOf?(view: RequestView, contentType: string | undefined): Framing | undefined;

  /** The joiner for one exchange. `usageShown` is `last` unless given; without `keep`, the joiner keeps as much as any response has. */
  joinResponses(view: RequestView, plan: Plan, usageShown?: UsageShown, keep?: Keep): ResponseJoiner;
}

/** Makes the joiner for one exchange. */
export type JoinResponses = ResponseJoining['joinResponses'];

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
export interface ResponseJoiner extends JoinerProgress, RoundTaker {
  /** The rest of a good response, its end included. */
  finish(): readonly WireEvent[];
  /** The end of a response that went wrong: the format's in-stream error, or as the whole response an error body. */
  fail(failure: RoundFailure): readonly WireEvent[];
}

/** The progress of a joined response. */
export interface JoinerProgress {
  /** Whether anything of this exchange was given out to be sent to the client. */
  readonly hasStarted: boolean;
  /**
   * Whether anything of that shows: text, thinking, a call, a block of the provider's own. The start of a stream, empty texts and what keeps the
   * line alive do not: until then the response can still become another one.
   */
  readonly hasShown: boolean;
  /** The usage of the rounds so far together, undefined when no upstream said. */
  readonly usage: Usage | undefined;
  /** The provider's notices on the current round's request; undefined when it gave none, and for formats that have no words for it. */
  readonly notices?: RoundNotices | undefined;
  /** Whether the current round has come to its terminal event: its connection no longer matters. */
  readonly isRoundOver: boolean;
  /**
   * The start of the stream as it reads by now, where a later round says something else in it: it stands in for the event of the same name that
   * was given out, as long as the client has not got that. Undefined where the start is as it was given; a format may do without.
   */
  readonly amendedStart?: StreamEvent | undefined;
}

/** Takes the rounds of an exchange. */
export interface RoundTaker {
  /** Takes an event of the current round. Empty when nothing is to be sent now. */
  feed(event: WireEvent): readonly WireEvent[];
  /** Takes the results of the last round's searches, which begin the next one; only joiners whose clients see searches have it. */
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
}

/** A provider's notices on a request, in its own words. */
export interface RoundNotices {
  /** How many items of reasoning in the history were kept from the model, by why. */
  readonly withheldReasoning?: Readonly<Record<string, number>>;
  /** Why the prompt was not read from the cache, and how many tokens of it. */
  readonly cacheMiss?: { readonly reason: string; readonly missedTokens: number };
}

/** The end of a round. */
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
