import { type Keep, keepUpTo, type RoundFailure, roundFailure } from '../format/response-joiner.ts';
import type { Turn } from '../format/view.ts';
import type { StreamEvent } from '../framing/framing.ts';
import { memberOf } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, parseJson, textOrNone } from '../json/json-value.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { type PartReader, type PartState, Places, ReadParts, unfinishedFailure } from './part-state.ts';
import type { ReadEvent } from './read-event.ts';

/** The most characters that are held at the end of a stream: one response, and additions of servers. */
const TAIL_CHARS = 48 * 1024 * 1024;

/** A part of a response: an item or a step. */
export interface EnvelopePart {
  /** Whether the client sees it; undefined for reasoning until the part that it led to has begun. */
  readonly isShown: boolean | undefined;
}

/** The findings of a reader so far. */
interface EnvelopeFindings {
  /** The first version of the response, as JSON. */
  readonly start: string | undefined;
  /** The event that ended the response. */
  readonly end: ReadEvent | undefined;
  /** An error within the response. */
  readonly error: ReadEvent | undefined;
  readonly id: string | undefined;
  readonly stopReason: string | undefined;
  /** Whether nothing more is expected, or the rest of the response is not worth reading. */
  readonly isOver: boolean;
  /** Whether the end reports that the response failed. */
  readonly hasFailed: boolean;
  /** Whether the response has a search but exceeds the limit on held content. */
  readonly heldTooMuch: boolean;
}

/** Reads a response whose stream begins and ends with an event that holds the response. */
export interface EnvelopeReader extends PartReader, EnvelopeFindings {
  /** Takes the next event, parsed if it is one of the format; returns its part if it has one. */
  take(data: string, read: ReadEvent | undefined): EnvelopePart | undefined;
  /** Takes a whole response; returns false for any other text. */
  takeWhole(text: string): boolean;
  readonly hasParts: boolean;
  /** Returns the parts for the client, as JSON, in order. */
  visibleParts(): string[];
}

/** An event, parsed if it is one of the format, and its part. */
export interface HeldEvent {
  readonly event: StreamEvent;
  readonly read: ReadEvent | undefined;
  readonly part?: EnvelopePart | undefined;
}

export interface FormatEvent extends HeldEvent {
  readonly read: ReadEvent;
}

/**
 * Events that the client has received, before they were numbered. A linked list, so that longer lists share
 * the shorter ones.
 */
interface UnshownEvents {
  readonly last: FormatEvent;
  readonly earlier: UnshownEvents | undefined;
}

/** Reasoning that may lead to a search, and the events behind it, of one round. Changed in place. */
interface UndecidedEvents {
  readonly events: HeldEvent[];
  /** Whether events are held. Without memory for one, all others of the round pass as they come. */
  mayHold: boolean;
}

/**
 * State of an exchange of such responses. A later round may begin the client's response again until content
 * is shown.
 */
export interface EnvelopeState<Reader extends EnvelopeReader> extends PartState<HeldEvent> {
  readonly reader: Reader;
  /** The readers of all responses, the current one last. */
  readonly readers: readonly Reader[];
  /** The number of rounds before the one that began the client's response. */
  readonly opener: number;
  /** Whether the beginning of that response is over. */
  readonly isOpen: boolean;
  /** Whether that beginning has been sent. */
  readonly hasBegun: boolean;
  /** Events to repeat after another beginning. */
  readonly unshown: UnshownEvents | undefined;
  /** The next number of an event in the client's stream. */
  readonly sequence: number;
  readonly keepTail: Keep;
  readonly hasLostTail: boolean;
  readonly undecided: UndecidedEvents;
}

/** The members of the state at the beginning of the client's response. */
export const RESPONSE_START = { isOpen: false, hasBegun: false, sequence: 0 } as const;

/** Returns the members of the state that each round resets; `next` is the position of its first part. */
export function envelopeRound(keep: Keep | undefined, next: number) {
  const keepTail = keep ?? keepUpTo(TAIL_CHARS);
  const undecided: UndecidedEvents = { events: [], mayHold: true };
  return {
    ...{ keepTail, hasLostTail: false, undecided },
    ...{ places: new Places(next), body: undefined, tail: [] },
  };
}

/**
 * Returns the reader of the round that began the client's response; the first reader if that round has not
 * begun.
 */
export function openerOf<Reader extends EnvelopeReader>({
  readers,
  opener,
}: EnvelopeState<Reader>): Reader | undefined {
  return readers[opener] ?? readers[0];
}

/** Returns the events to repeat after another beginning, in order. */
export function unshownEvents({ unshown }: EnvelopeState<EnvelopeReader>): readonly FormatEvent[] {
  const events: FormatEvent[] = [];
  for (let one = unshown; one !== undefined; one = one.earlier) events.push(one.last);
  return events.reverse();
}

/** Returns the failure of a round that has ended; undefined for a good one. */
export function envelopeFailure(
  state: EnvelopeState<EnvelopeReader>,
  hidden: HiddenNames,
): RoundFailure | undefined {
  const { end, error, hasFailed, heldTooMuch, start, hasParts, stopReason } = state.reader;
  const { isWhole, rounds, body } = state;
  const isError = end === undefined ? error !== undefined : hasFailed && !(isWhole && rounds === 1);
  if (isError) return roundFailure('upstream_error', body);
  if (heldTooMuch || state.hasLostTail) return roundFailure('held_too_much');
  const isEmpty = rounds > 1 && !hasParts && stopReason === undefined;
  if (end === undefined) return unfinishedFailure(state, { hasBegun: start !== undefined, isEmpty }, hidden);
  return isEmpty ? roundFailure('malformed_answer') : undefined;
}

/**
 * Returns the turn with the ids that later requests may name. For stored whole responses, the client has the
 * last id.
 */
export function storedTurn(
  { reader, readers, opener, isWhole }: EnvelopeState<EnvelopeReader>,
  isStored: boolean,
): Turn {
  const turn = reader.turn();
  const { id } = reader;
  const given = isWhole && isStored ? id : readers[opener]!.id;
  if (id === undefined || given === undefined) return turn;
  return { ...turn, state: { id, given } satisfies StoredRound };
}

/** Whether a part has no content yet: it has one of these types, and neither content nor a summary. */
export function saysNothing({ type, content, summary }: JsonObject, types: ReadonlySet<unknown>): boolean {
  return types.has(type) && isEmptyList(content) && isEmptyList(summary);
}

function isEmptyList(list: unknown): boolean {
  return list === undefined || list === null || (Array.isArray(list) && list.length === 0);
}

/** A stored round, as later requests need it. */
export interface StoredRound {
  /** The provider's id, from which a request continues. */
  readonly id: string;
  /** The id of the client's response that contains the round. */
  readonly given: string;
}

/** A part of a response: an item or a step. */
export interface RoundPart extends EnvelopePart {
  /** Whether this is a search, which the client must not see. */
  readonly isSearch: boolean;
  isShown: boolean | undefined;
  isDone: boolean;
}

/**
 * The parts of one response of the upstream, in a format whose first and last events hold the response. A
 * reader of such a format observes events, in order, and changes none.
 */
export abstract class RoundParts<Part extends RoundPart> extends ReadParts<Part> {
  /** The response in its first event, as JSON. */
  start: string | undefined;
  /** The event that ended the response. */
  end: ReadEvent | undefined;
  /** An error within the response. */
  error: ReadEvent | undefined;
  /** Reasoning whose next part has not begun. */
  protected undecided: Part[] = [];
  /** The member of an event that holds the response. */
  readonly #envelope: string;
  /** Parts by their numbers, because one gateway changes ids in every event. */
  readonly #byIndex = new Map<unknown, Part>();

  constructor(envelope: string, keep: Keep | undefined) {
    super(keep);
    this.#envelope = envelope;
  }

  /** The response's id; undefined before its start, and when it is not stored. */
  get id(): string | undefined {
    return textOrNone(this.last.id) ?? textOrNone(parseJson(memberOf(this.start ?? '{}', 'id') ?? 'null'));
  }

  /** Undefined when the response reported none. */
  get usage(): JsonObject | undefined {
    const { usage } = this.last;
    return isJsonObject(usage) ? usage : undefined;
  }

  /** The response in the event that ended it; an empty object without one. */
  protected get last(): JsonObject {
    const response = this.end?.body[this.#envelope];
    return isJsonObject(response) ? response : {};
  }

  /** Keeps an event that begins or ends the response, or is an error. */
  protected note(event: ReadEvent, isEnd: boolean): void {
    const { type, data, body } = event;
    if (isEnd) this.end = event;
    if (type === 'error') this.error = event;
    if (this.start === undefined && isJsonObject(body[this.#envelope]) && this.memory.mayKeep(data.length)) {
      this.start = memberOf(data, this.#envelope);
    }
  }

  protected partAt(index: unknown): Part | undefined {
    return this.#byIndex.get(index);
  }

  protected add(part: Part, index: unknown): void {
    this.memory.begin();
    this.parts.push(part);
    this.#byIndex.set(index, part);
  }
}
