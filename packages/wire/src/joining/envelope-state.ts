import type { RoundFailure } from '../format/response-joiner.ts';
import type { Turn } from '../format/view.ts';
import type { StreamEvent, WireEvent } from '../framing/wire-event.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import type { StoredRound } from '../turns/stored-by-id.ts';
import { type Keep, keepUpTo } from './keep.ts';
import { isUntouched, type PartReader, type PartState, Places, unfinishedFailure } from './part-state.ts';
import { roundFailure } from './round-failure.ts';
import { andThen, NOTHING, type Step, takeAll } from './round-joiner.ts';

/** Characters of what is held at the end of a stream: one response, and what servers may add. */
const TAIL_CHARS = 48 * 1024 * 1024;
/** Characters that an event takes besides its text. */
const EVENT_CHARS = 500;

/** Reads a response whose stream begins and ends with an event that holds the response. */
export interface EnvelopeReader extends PartReader {
  /** The response as it came first, as JSON. */
  readonly start: string | undefined;
  /** The event that ended it. */
  readonly end: unknown;
  /** An error that was sent within it. */
  readonly error: unknown;
  readonly id: string | undefined;
  readonly heldTooMuch: boolean;
  takeWhole(text: string): boolean;
}

/** An event, and the part of the response that it is about. */
export interface ReadEvent<Read = unknown, Part = unknown> {
  readonly event: StreamEvent;
  readonly read: Read;
  readonly part?: Part | undefined;
}

/** Events that the client was given, before they had their numbers. A list that grows without a change of the shorter ones. */
interface UnshownEvents<Shown> {
  readonly last: Shown;
  readonly earlier: UnshownEvents<Shown> | undefined;
}

/** State of an exchange with such responses. Where nothing shows, a later round may begin the client's response anew. */
export interface EnvelopeState<
  Reader extends EnvelopeReader = EnvelopeReader,
  Held extends ReadEvent = ReadEvent,
  Shown extends ReadEvent = ReadEvent,
> extends PartState<Held> {
  readonly reader: Reader;
  /** The readers of all responses, the current one last. */
  readonly readers: readonly Reader[];
  /** Number of rounds before the one by which the client's response began. */
  readonly opener: number;
  /** Whether the beginning of that response is over. */
  readonly isOpen: boolean;
  /** Whether that beginning has been given out. */
  readonly hasBegun: boolean;
  /** Events to say again behind another beginning. */
  readonly unshown: UnshownEvents<Shown> | undefined;
  readonly keepTail: Keep;
  readonly hasLostTail: boolean;
}

/** The state of envelopes before the first round. */
export function startOfEnvelopes<Reader extends EnvelopeReader>(reader: Reader) {
  return {
    reader,
    readers: [],
    opener: 0,
    isOpen: false,
    hasBegun: false,
    unshown: undefined,
    hasHidden: false,
    places: new Places(),
    keepTail: keepUpTo(TAIL_CHARS),
    hasLostTail: false,
    body: undefined,
    tail: [],
  };
}

/** The state in which a round begins. */
export function beginEnvelope<Reader extends EnvelopeReader, State extends EnvelopeState<Reader>>(
  left: State,
  reader: Reader,
  keep: Keep | undefined,
): State {
  return {
    ...left,
    reader,
    readers: [...left.readers, reader],
    places: new Places(left.places.next),
    keepTail: keep ?? keepUpTo(TAIL_CHARS),
    hasLostTail: false,
    body: undefined,
    tail: [],
  };
}

/** The state in which the next round begins the client's response; undefined where something shows already. */
export function retractEnvelope<State extends EnvelopeState>(state: State): State | undefined {
  if (state.isWhole || state.hasShown) return undefined;
  return { ...state, opener: state.rounds, isOpen: false, hasBegun: false, places: new Places() };
}

/** Whether there is memory to keep an event. */
export function mayKeep({ keepTail }: EnvelopeState, { data }: StreamEvent): boolean {
  return keepTail(data.length + EVENT_CHARS);
}

/** Ends the beginning of the client's response. Behind one that was begun anew, it says again what earlier rounds have said. */
export function open<Shown extends ReadEvent, State extends EnvelopeState<EnvelopeReader, ReadEvent, Shown>>(
  state: State,
  place: (state: State, shown: Shown) => Step<State>,
): Step<State> {
  if (state.isOpen) return { state, events: NOTHING };
  const again: Shown[] = [];
  for (let one = state.unshown; one !== undefined; one = one.earlier) again.push(one.last);
  return takeAll({ ...state, isOpen: true }, again.reverse(), place);
}

/** Gives out an event behind the beginning. One that shows nothing is kept to be said again; one that cannot be kept must not be taken back. */
export function giveOut<
  Shown extends ReadEvent,
  State extends EnvelopeState<EnvelopeReader, ReadEvent, Shown>,
>(
  state: State,
  given: Shown,
  shows: boolean,
  place: (state: State, shown: Shown) => Step<State>,
): Step<State> {
  return andThen(open(state, place), (opened) => {
    const hasShown = opened.hasShown || shows || !mayKeep(opened, given.event);
    const unshown = hasShown ? undefined : { last: given, earlier: opened.unshown };
    const isSame = hasShown === opened.hasShown && unshown === opened.unshown;
    return place(isSame ? opened : { ...opened, hasShown, unshown }, given);
  });
}

/** Takes a whole body. One that goes on with a stream is taken as the events that it could have been, which `pass` takes. */
export function takeWholeBody<
  Read extends { readonly type: string; readonly data: string },
  State extends EnvelopeState,
>(
  left: State,
  body: string,
  events: (body: string) => readonly Read[] | undefined,
  pass: (state: State, event: StreamEvent, read: Read) => Step<State>,
): Step<State> {
  const state = { ...left, body };
  if (!state.isWhole) {
    return takeAll(state, events(body) ?? [], (next: State, read) =>
      pass(next, { kind: 'event', name: read.type, data: read.data }, read),
    );
  }
  const isRead = state.reader.takeWhole(body);
  return {
    state: { ...state, hasHidden: state.hasHidden || (isRead && state.reader.hasSearch) },
    events: NOTHING,
  };
}

/** Holds an event of the end. Where there is no memory, the end of a response of which nothing was hidden waits for nothing. */
export function holdTail<Held extends ReadEvent, State extends EnvelopeState<EnvelopeReader, Held>>(
  state: State,
  held: Held,
  isGood: boolean,
  pass: (state: State, held: Held) => Step<State>,
): Step<State> {
  const { tail, hasLostTail } = state;
  if (!hasLostTail && mayKeep(state, held.event)) {
    tail.push(held);
    return { state, events: NOTHING };
  }
  const mayPass = isUntouched(state) && tail.length === 0 && isGood;
  return mayPass ? pass(state, held) : { state: { ...state, hasLostTail: true }, events: NOTHING };
}

/** The failure of a round that has ended; undefined for a good one. `hasFailed` is whether its end says so. */
export function envelopeFailure(
  state: EnvelopeState,
  hasFailed: boolean,
  hidden: HiddenNames,
): RoundFailure | undefined {
  const { end, error, heldTooMuch, start } = state.reader;
  const isError = end === undefined ? error !== undefined : hasFailed && !state.isWhole;
  if (isError) return roundFailure('upstream_error');
  if (heldTooMuch || state.hasLostTail) return roundFailure('held_too_much');
  return end === undefined ? unfinishedFailure(state, start !== undefined, hidden) : undefined;
}

/** A turn, and the ids by which later requests may name its response. The client has the last one's of whole responses that are stored. */
export function storedTurn({ reader, readers, opener, isWhole }: EnvelopeState, isStored: boolean): Turn {
  const turn = reader.turn();
  const { id } = reader;
  const given = isWhole && isStored ? id : readers[opener]!.id;
  if (id === undefined || given === undefined) return turn;
  return { ...turn, state: { id, given } satisfies StoredRound };
}

/** A whole body in place of a response that has failed: the upstream's words where the client may see them, else `own`. */
export function failWhole(
  { rounds, body }: EnvelopeState,
  { reason }: RoundFailure,
  {
    sent,
    own,
    hidden,
  }: { readonly sent: string | undefined; readonly own: string; readonly hidden: HiddenNames },
): readonly WireEvent[] {
  const isStrange = reason === 'malformed_answer' && rounds === 1;
  const text = (isStrange ? body : sent) ?? own;
  return [{ kind: 'whole', text: hidden.areIn(text) ? own : text }];
}
