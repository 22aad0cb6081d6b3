import type { MemberChanges } from '@winnow/core';
import type { Keep, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/framing.ts';
import { memberOf, withMember, withMembers } from '../json/json-members.ts';
import { isJsonObject } from '../json/json-value.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import {
  type EnvelopePart,
  type EnvelopeReader,
  type EnvelopeState,
  envelopeFailure,
  envelopeRound,
  type FormatEvent,
  type HeldEvent,
  openerOf,
  RESPONSE_START,
  storedTurn,
  unshownEvents,
} from './envelope-state.ts';
import type { RestoreEcho } from './hide-mentions.ts';
import {
  type ErrorBodies,
  failedBody,
  isNumberedAsSent,
  isUntouched,
  Places,
  placeOf,
} from './part-state.ts';
import { type ReadEvent, readData, readEvent } from './read-event.ts';
import {
  andThen,
  type EndedRound,
  NOTHING,
  type RoundReducer,
  type Step,
  startOfExchange,
  takeAll,
} from './round-joiner.ts';
import type { CountRules } from './rounds-usage.ts';

/** The memory that an event takes in addition to its text, in characters. */
const EVENT_CHARS = 500;

/**
 * The role of an event in a response: the only `start`; a `status`, before or among the parts; the `end`, and
 * everything after it; a `part`, or any other event that may show content; `unknown` for an event of no known
 * format.
 */
export type EventKind = 'start' | 'status' | 'part' | 'end' | 'unknown';

/** The names of an envelope's members, and the events that end it. */
export interface EnvelopeNames {
  /** The member of an event that holds the response. */
  readonly envelope: string;
  /** The member of a response that lists its parts. */
  readonly parts: string;
  /** The member of an event with the number of its part. */
  readonly index: string;
  /** The member of an event with its own number; undefined for a format without numbers. */
  readonly sequence?: string;
  readonly ends: ReadonlySet<string>;
}

/** The numbers of an event in the client's response. */
export interface EventPlace {
  /** The number of the event itself. */
  readonly sequence: number;
  /** The number of its part; undefined for an event without a part. */
  readonly index: number | undefined;
}

/** An exchange whose responses are joined. */
export interface EnvelopeExchange {
  readonly view: RequestView;
  readonly plan: Plan;
  readonly keep: Keep | undefined;
  /** Restores the parts of a response that repeat its request. */
  readonly restore: RestoreEcho;
}

/**
 * Joins responses whose streams begin and end with an event that holds the response. Formats define how their
 * events and errors are written.
 *
 * It takes an event in steps: 1. the reader keeps it; 2. reasoning that was held is sent once the part that it
 * led to begins, and dropped if that is a search; 3. every search is dropped; 4. the end of the response is
 * held; 5. reasoning is held; 6. a later round's start is dropped; 7. any other event gets its position in the
 * client's response, and its echo of the request becomes the client's own text.
 */
export abstract class EnvelopeReducer<Reader extends EnvelopeReader>
  implements RoundReducer<EnvelopeState<Reader>>
{
  protected readonly hidden: HiddenNames;
  protected readonly keep: Keep | undefined;
  protected readonly restore: RestoreEcho;
  /** Whether the provider stores the responses, so that the client may continue from the last one. */
  readonly #isStored: boolean;

  constructor({ view, plan, keep, restore }: EnvelopeExchange) {
    this.hidden = hiddenNames(plan);
    this.keep = keep;
    this.restore = restore;
    this.#isStored = view.body.store !== false;
  }

  protected abstract readonly names: EnvelopeNames;
  protected abstract newReader(): Reader;
  protected abstract readonly typeKey: string;
  /** Returns the events that would stream a whole response; undefined for any other text. */
  protected abstract eventsOfWhole(body: string): readonly ReadEvent[] | undefined;
  /** Whether a type of event is one of the format. */
  protected abstract isKnown(read: ReadEvent): boolean;
  protected abstract kindOf(read: ReadEvent | undefined, data: string): EventKind;
  /**
   * Whether the client sees content in an event between start and end. `isOfPart` tells whether it has a
   * part.
   */
  protected abstract shows(read: ReadEvent, isOfPart: boolean): boolean;
  /** Returns the data of an event for the client. */
  protected abstract write(
    state: EnvelopeState<Reader>,
    read: ReadEvent,
    place: EventPlace,
    part: EnvelopePart | undefined,
  ): string;
  /** Whether the end of a response leaves out its parts. */
  protected omitsParts(_state: EnvelopeState<Reader>, _body: string): boolean {
    return false;
  }
  /** Returns the changes to the last response's body that are specific to the format. */
  protected abstract joinedMembers(
    state: EnvelopeState<Reader>,
    body: string,
    parts: readonly string[] | undefined,
  ): MemberChanges;
  /** Returns the start of a response for a client that has none; undefined if the format does not need it. */
  protected abstract writeStart(start: string | undefined, sequence: number): StreamEvent | undefined;
  /**
   * Returns the events that end a failed stream. `hasSent` tells whether the client has received the
   * upstream's own end.
   */
  protected abstract writeFailure(
    state: EnvelopeState<Reader>,
    failure: RoundFailure,
    hasSent: boolean,
  ): readonly StreamEvent[];
  /** Returns the error of a whole response: Winnow's own, and the upstream's if it has the format's shape. */
  protected abstract errorBodies(failure: RoundFailure): ErrorBodies;

  /** Returns the state of an exchange before its first round. */
  start(view: RequestView, rules: CountRules): EnvelopeState<Reader> {
    return {
      ...startOfExchange(view, rules),
      ...RESPONSE_START,
      ...envelopeRound(this.keep, 0),
      reader: this.newReader(),
      readers: [],
      opener: 0,
      unshown: undefined,
      hasHidden: false,
    };
  }

  begin(left: EnvelopeState<Reader>): EnvelopeState<Reader> {
    const reader = this.newReader();
    const readers = [...left.readers, reader];
    return { ...left, ...envelopeRound(this.keep, left.places.next), reader, readers };
  }

  takeEvent(state: EnvelopeState<Reader>, event: StreamEvent): Step<EnvelopeState<Reader>> {
    return this.#pass(state, event, readEvent(event.data, this.typeKey, readData(event)));
  }

  strayText({ data }: StreamEvent): string | undefined {
    const read = readEvent(data, this.typeKey);
    const kind = this.kindOf(read, data);
    const isStray = kind === 'unknown' || (kind === 'part' && !this.isKnown(read!));
    return isStray ? data : undefined;
  }

  /** Takes a whole body. In a stream, it becomes the events that would stream it. */
  takeWhole(left: EnvelopeState<Reader>, body: string): Step<EnvelopeState<Reader>> {
    const state = { ...left, body };
    const { reader, hasHidden, isWhole } = state;
    if (!isWhole) {
      return takeAll(state, this.eventsOfWhole(body) ?? [], (next: EnvelopeState<Reader>, read) =>
        this.#pass(next, { kind: 'event', name: read.type, data: read.data }, read),
      );
    }
    const isRead = reader.takeWhole(body);
    return { state: { ...state, hasHidden: hasHidden || (isRead && reader.hasSearch) }, events: NOTHING };
  }

  isOver({ reader }: EnvelopeState<Reader>): boolean {
    return reader.isOver;
  }

  end(state: EnvelopeState<Reader>): EndedRound<EnvelopeState<Reader>> | RoundFailure {
    const { stopReason } = state.reader;
    const failure = envelopeFailure(state, this.hidden);
    return failure ?? { kind: 'ended', state, turn: storedTurn(state, this.#isStored), stopReason };
  }

  retractStart(state: EnvelopeState<Reader>): EnvelopeState<Reader> | undefined {
    if (state.isWhole || state.hasShown) return undefined;
    return { ...state, ...RESPONSE_START, places: new Places(), opener: state.rounds };
  }

  finish(state: EnvelopeState<Reader>): readonly WireEvent[] {
    if (!state.isWhole) {
      return andThen(andThen(this.#releaseRest(state), this.#open), this.#finishTail).events;
    }
    const body = state.body ?? memberOf(state.reader.end?.data ?? '{}', this.names.envelope) ?? '{}';
    return [{ kind: 'whole', text: this.#finishBody(state, body) }];
  }

  fail(state: EnvelopeState<Reader>, failure: RoundFailure): readonly WireEvent[] {
    if (state.isWhole) {
      const text = failedBody(state, failure, this.errorBodies(failure), this.hidden);
      return [{ kind: 'whole', text }];
    }
    const { state: opened, events } = andThen(andThen(this.#begun(state), this.#releaseRest), this.#open);
    const isSent = failure.reason === 'upstream_error';
    const tail = isSent ? this.#finishTail(opened) : { state: opened, events: NOTHING };
    const isOpen = !tail.events.some((event) => this.hidden.areIn((event as StreamEvent).data));
    const sent = isOpen ? tail.events : NOTHING;
    return [...events, ...sent, ...this.writeFailure(tail.state, failure, sent.length > 0)];
  }

  /**
   * Writes a start if the client has none, because clients accept no end without one. This happens when a
   * heartbeat has sent the head and each start was retracted.
   */
  #begun(state: EnvelopeState<Reader>): Step<EnvelopeState<Reader>> {
    if (state.hasBegun) return { state, events: NOTHING };
    const written = this.writeStart(this.startOf(state), state.sequence);
    if (written === undefined) return { state, events: NOTHING };
    return { state: { ...state, sequence: state.sequence + 1, hasBegun: true }, events: [written] };
  }

  /** Returns the start of the client's response, as the client received it. */
  protected startOf(state: EnvelopeState<Reader>): string | undefined {
    const start = openerOf(state)?.start;
    return start === undefined ? undefined : this.restore(start);
  }

  #pass(
    state: EnvelopeState<Reader>,
    event: StreamEvent,
    read: ReadEvent | undefined,
  ): Step<EnvelopeState<Reader>> {
    const part = state.reader.take(event.data, read);
    if (state.undecided.events.length === 0) return this.#passDecided(state, { event, read, part });
    return andThen(this.#release(state, false), (next) => this.#passDecided(next, { event, read, part }));
  }

  #passDecided(state: EnvelopeState<Reader>, taken: HeldEvent): Step<EnvelopeState<Reader>> {
    const { event, read, part } = taken;
    if (part?.isShown === false) return this.#open({ ...state, hasHidden: true });
    const kind = this.kindOf(read, event.data);
    if (state.tail.length > 0 || kind === 'end') return this.#holdTail(state, { event, read });
    if (state.undecided.events.length > 0 || isUndecided(part)) return this.#hold(state, taken);
    return this.#passOn(state, taken, kind);
  }

  /** Holds reasoning, and events behind it. Without memory for it, everything passes as it comes. */
  #hold(state: EnvelopeState<Reader>, given: HeldEvent): Step<EnvelopeState<Reader>> {
    const { undecided } = state;
    undecided.events.push(given);
    undecided.mayHold &&= mayKeep(state, given.event);
    return undecided.mayHold ? { state, events: NOTHING } : this.#release(state, true);
  }

  /**
   * Sends the held events whose part is decided, without those that led to a search; `isOver` decides the
   * others.
   */
  #release(state: EnvelopeState<Reader>, isOver: boolean): Step<EnvelopeState<Reader>> {
    const { events } = state.undecided;
    const open = isOver ? -1 : events.findIndex(({ part }) => isUndecided(part));
    const decided = events.splice(0, open === -1 ? events.length : open);
    const shown = decided.filter(({ part }) => part?.isShown !== false);
    const hasHidden = state.hasHidden || shown.length < decided.length;
    return takeAll({ ...state, hasHidden }, shown, (next: EnvelopeState<Reader>, one) =>
      this.#passOn(next, one, this.kindOf(one.read, one.event.data)),
    );
  }

  /** Sends the reasoning at the end of a response, unless the response searched. */
  readonly #releaseRest = (state: EnvelopeState<Reader>): Step<EnvelopeState<Reader>> => {
    if (!state.reader.hasSearch) return this.#release(state, true);
    state.undecided.events.length = 0;
    return { state, events: NOTHING };
  };

  /** Sends an event between the beginning and the end of a response. */
  #passOn(
    state: EnvelopeState<Reader>,
    { event, read, part }: HeldEvent,
    kind: EventKind,
  ): Step<EnvelopeState<Reader>> {
    if (read === undefined) return { state, events: this.hidden.areIn(event.data) ? NOTHING : [event] };
    if (kind === 'part') return this.#giveOut(state, { event, read, part });
    const isStart = kind === 'start';
    // An event that the format does not know may precede the start.
    const hasParts = state.isOpen && state.places.next > 0;
    const isLate = state.rounds > state.opener + 1 || (isStart && hasParts);
    if (isLate) return { state, events: NOTHING };
    return this.#place(isStart ? { ...state, hasBegun: true } : state, { event, read });
  }

  /**
   * Ends the beginning of the client's response. If it was begun again, the events of earlier rounds are
   * repeated.
   */
  readonly #open = (state: EnvelopeState<Reader>): Step<EnvelopeState<Reader>> => {
    if (state.isOpen) return { state, events: NOTHING };
    return takeAll({ ...state, isOpen: true }, unshownEvents(state), this.#place);
  };

  /**
   * Sends an event after the beginning. An event without content is kept so that it can be repeated; if it
   * cannot be kept, the start must not be retracted.
   */
  #giveOut(state: EnvelopeState<Reader>, given: FormatEvent): Step<EnvelopeState<Reader>> {
    const shows = this.shows(given.read, given.part !== undefined);
    return andThen(this.#open(state), (opened) => {
      const hasShown = opened.hasShown || shows || !mayKeep(opened, given.event);
      const unshown = hasShown ? undefined : { last: given, earlier: opened.unshown };
      const isSame = hasShown === opened.hasShown && unshown === opened.unshown;
      return this.#place(isSame ? opened : { ...opened, hasShown, unshown }, given);
    });
  }

  /** Writes the event with its numbers in the client's response. */
  readonly #place = (
    state: EnvelopeState<Reader>,
    { event, read, part }: FormatEvent,
  ): Step<EnvelopeState<Reader>> => {
    const { names } = this;
    const number = names.sequence === undefined ? undefined : read.body[names.sequence];
    const isNumbered = typeof number === 'number';
    const sequence = isNumbered && isNumberedAsSent(state) ? number : state.sequence;
    const index = part && placeOf(state, part, read.body[names.index]);
    const placed = this.write(state, read, { sequence, index }, part);
    const isEnvelope = isJsonObject(read.body[names.envelope]);
    const data = isEnvelope ? withMember(placed, names.envelope, this.restore) : placed;
    const next = isNumbered ? { ...state, sequence: sequence + 1 } : state;
    return { state: next, events: [withData(event, data)] };
  };

  /**
   * Holds an event of the end. Without memory for it, the good end of a response that hides nothing passes at
   * once.
   */
  #holdTail(state: EnvelopeState<Reader>, held: HeldEvent): Step<EnvelopeState<Reader>> {
    const { tail, reader, hasLostTail } = state;
    if (!hasLostTail && mayKeep(state, held.event)) {
      tail.push(held);
      return { state, events: NOTHING };
    }
    const isGood = !hasLostTail && reader.error === undefined && !reader.hasFailed;
    const mayPass = isGood && isUntouched(state) && tail.length === 0;
    if (!mayPass) return { state: { ...state, hasLostTail: true }, events: NOTHING };
    return andThen(andThen(this.#releaseRest(state), this.#open), (opened) =>
      this.#finishEvent(opened, held),
    );
  }

  readonly #finishTail = (state: EnvelopeState<Reader>): Step<EnvelopeState<Reader>> =>
    takeAll(state, state.tail, (next: EnvelopeState<Reader>, held) => this.#finishEvent(next, held));

  /** Writes an event of the end, in which the responses of several rounds become one. */
  #finishEvent(state: EnvelopeState<Reader>, { event, read }: HeldEvent): Step<EnvelopeState<Reader>> {
    if (read === undefined) return { state, events: [event] };
    const placed = this.#place(state, { event, read });
    if (!this.names.ends.has(read.type)) return placed;
    const [{ data }] = placed.events as readonly [StreamEvent];
    const finished = withMember(data, this.names.envelope, (body) => this.#finishBody(state, body));
    return { state: placed.state, events: [withData(event, finished)] };
  }

  /** Returns the last response's body, with the first one's identity and the visible parts of all. */
  #finishBody(state: EnvelopeState<Reader>, text: string): string {
    const body = this.restore(text);
    if (isUntouched(state)) return body;
    const { readers, reader, rounds, used, isWhole } = state;
    const isLeft = reader.hasFailed || this.omitsParts(state, body);
    const parts = isLeft ? undefined : readers.flatMap((one) => one.visibleParts());
    const usage = rounds === 1 ? undefined : used.shownWith(reader.usage);
    // A stream has already sent the first one's id.
    const id = isWhole && this.#isStored ? undefined : memberOf(openerOf(state)?.start ?? '{}', 'id');
    const has = (key: string) => memberOf(body, key) !== undefined;
    return withMembers(body, {
      ...(parts !== undefined && { [this.names.parts]: `[${parts.join(',')}]` }),
      ...(id !== undefined && has('id') && { id }),
      ...(usage !== undefined && has('usage') && { usage: JSON.stringify(usage) }),
      ...this.joinedMembers(state, body, parts),
    });
  }
}

/** Whether it is open if the client sees a part. */
function isUndecided(part: EnvelopePart | undefined): boolean {
  return part !== undefined && part.isShown === undefined;
}

/** Whether there is memory to keep an event. */
function mayKeep({ keepTail }: EnvelopeState<EnvelopeReader>, { data }: StreamEvent): boolean {
  return keepTail(data.length + EVENT_CHARS);
}
