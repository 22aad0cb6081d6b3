import type { Framing, StreamEvent, WireEvent } from '../framing/framing.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import type { Plan, RequestView, SearchResult, Turn, Usage } from './view.ts';

/** Joins the responses of an exchange. */
export interface ResponseJoining {
  /**
   * Returns the framing of a response to this request when the content type does not determine it; otherwise
   * undefined. Without this function, the content type always determines it.
   */
  framingOf?(view: RequestView, contentType: string | undefined): Framing | undefined;

  /**
   * Returns the joiner for one exchange. Without `keep`, the joiner keeps as much as any response has.
   */
  joinResponses(view: RequestView, plan: Plan, keep?: Keep): ResponseJoiner;

  /** The rules for counting the tokens of a response that is passed on unread; without them, none are counted. */
  readonly passing?: PassingCounts;
}

/** The members of a response that count its tokens, wherever they stand in it. */
export interface PassingCounts {
  /** Names of members whose values are objects or numbers. */
  readonly members: readonly string[];
  /** Returns the tokens in the latest values of these members; undefined without any. */
  readonly toUsage: (counts: JsonObject) => Usage | undefined;
}

/** Returns the rules of a format with one object of counts. */
export function countsIn(member: string, toUsage: (counts: JsonObject) => Usage): PassingCounts {
  return {
    members: [member],
    toUsage: ({ [member]: counts }) => (isJsonObject(counts) ? toUsage(counts) : undefined),
  };
}

/** Makes the joiner for one exchange. */
export type JoinResponses = ResponseJoining['joinResponses'];

/**
 * Joins the responses of one exchange into a single response.
 *
 * Whole and streamed responses take the same path: a whole JSON body is one event of kind `whole`. For a
 * stream, every call returns the events that can go to the client now; for a whole response, all events come
 * from `finish`. If the exchange hides something, its last events also come from `finish`, so that it can be
 * stored before the client continues. The client gets one start, contiguous indexes from 0, one end, the
 * first round's id, the last round's stop reason, one usage (`shownCounts`) and no trace of the search tool.
 * If nothing is hidden, the client gets the upstream's own events.
 *
 * Contract: for one exchange and one caller. The order of calls is feed*, endRound, repeated for each round,
 * then finish or fail, once.
 */
export interface ResponseJoiner extends JoinerProgress, RoundTaker {
  /** Returns the rest of a good response, including its end. */
  finish(): readonly WireEvent[];
  /**
   * Returns the end of a failed response: the format's in-stream error, or an error body as the whole
   * response.
   */
  fail(failure: RoundFailure): readonly WireEvent[];
}

/** The progress of a joined response. */
interface JoinerProgress {
  /** Whether the joiner has returned any event for the client. */
  readonly hasStarted: boolean;
  /**
   * Whether the client can see any content: text, thinking, a call or a block of the provider's own. The
   * start of a stream, empty texts and heartbeats do not count; until content is shown, the response can
   * still be replaced.
   */
  readonly hasShown: boolean;
  /**
   * Whether events wait until it is clear that the client may see them, so that nothing of the upstream's
   * reaches it.
   */
  readonly isHolding: boolean;
  /** The token usage of all rounds so far; undefined when no upstream reported any. */
  readonly usage: Usage | undefined;
  /** Whether the current round has received its terminal event. Its connection no longer matters. */
  readonly isRoundOver: boolean;
  /** Whether a later round can begin the response again; otherwise, the first one always begins it. */
  readonly canRetractStart: boolean;
  /**
   * The start of the stream as amended by a later round. It replaces the event of the same name that was
   * returned before, if the client has not received that yet. Undefined when the start is unchanged; a format
   * may omit it.
   */
  readonly amendedStart?: StreamEvent | undefined;
}

/** Takes the rounds of an exchange. */
interface RoundTaker {
  /** Takes an event of the current round. Returns an empty list when there is nothing to send now. */
  feed(event: WireEvent): readonly WireEvent[];
  /** Takes the results of the last round's searches, which begin the next one. */
  takeResults(results: readonly SearchResult[]): void;
  /** Closes the current round: its body has ended. The next `feed` begins another round. */
  endRound(): RoundEnd;
  /**
   * Forgets everything fed since the last successful round, failures included, so that the round can be
   * requested again. The events it returned must not reach the client.
   */
  abandonRound(): void;
  /**
   * Forgets the start of a response that has shown no content, so that the next round begins it under its own
   * id. The events returned before must not reach the client. Call it between two rounds, and only if
   * `canRetractStart`.
   */
  retractStart(): void;
}

export type RoundEnd = RoundSearching | RoundFinished | RoundFailure;

/**
 * The model only searched. Answer `turn.searches` and request another round, or call `finish` when that is
 * not possible.
 */
export interface RoundSearching {
  readonly kind: 'searching';
  readonly turn: Turn;
}

/**
 * The response is complete. Searches in `turn` came together with real calls; answer them for `hideTurn`.
 * Searches that were cut off, or that a refusal ended, are not included.
 */
export interface RoundFinished {
  readonly kind: 'finished';
  readonly turn: Turn;
  /** The provider's own reason for the end; undefined when it gave none. */
  readonly stopReason: string | undefined;
}

/** The round ended before its response was complete. */
export interface RoundFailure {
  readonly kind: 'failed';
  /**
   * - `truncated`: the stream ended before its terminal event.
   * - `upstream_error`: the upstream sent an error within its response; `fail` passes it on unchanged.
   * - `malformed_answer`: the body is not a response of this format.
   * - `held_too_much`: the content to hold back exceeds the limit.
   * - `interrupted`: reserved for the proxy: a later round got no response, or was refused.
   */
  readonly reason: 'truncated' | 'upstream_error' | 'malformed_answer' | 'held_too_much' | 'interrupted';
  /** A message for people; the client receives it when the upstream gave no error of its own. */
  readonly message: string;
  /**
   * The response with which the upstream refused a later round, or an error that it sent in place of one, in a
   * shape of its own. Its words are passed on.
   */
  readonly refusal?: { readonly status: number; readonly body: string };
  /** Whether the stream simply ended, and the client saw some of it: then the client's stream ends the same way. */
  readonly isSilent?: boolean;
}

const MESSAGES: Readonly<Record<RoundFailure['reason'], string>> = {
  truncated: 'The response ended before it was complete.',
  upstream_error: 'The upstream reported an error in its response.',
  malformed_answer: 'The upstream sent a body that is not a valid response.',
  held_too_much: 'The response is too long to be completed.',
  interrupted: 'The response could not be completed.',
};

/**
 * Returns the failure of a round for this reason, with a message for people. `sent` is what the upstream sent in
 * place of a response.
 */
export function roundFailure(reason: RoundFailure['reason'], sent?: string): RoundFailure {
  const failure = { kind: 'failed', reason, message: MESSAGES[reason] } as const;
  return sent === undefined ? failure : { ...failure, refusal: { status: 502, body: sent } };
}

/**
 * Reserves memory for characters of a response until its exchange is over; returns false when there is none.
 * Reserved memory is never released.
 */
export type Keep = (chars: number) => boolean;

/** Returns a function that reserves up to a number of characters. */
export function keepUpTo(limitChars: number): Keep {
  let left = limitChars;
  return (chars) => {
    left -= chars;
    return left >= 0;
  };
}
