import type { ResponseJoiner, RoundEnd, RoundFailure, RoundNotices } from '../format/response-joiner.ts';
import type { RequestView, SearchResult, Turn, Usage } from '../format/view.ts';
import type { StreamEvent, WireEvent } from '../framing/wire-event.ts';
import type { JsonObject } from '../json/json-splice.ts';
import type { CountRules } from './rounds-usage.ts';
import { RoundsUsage } from './rounds-usage.ts';
import type { UsageShown } from './shown-counts.ts';

/**
 * State of an exchange whose rounds are joined. Formats add members of their own.
 *
 * Contract: a value. An event makes another state and changes nothing in place, except what `begin` makes anew for each round, such as `reader`:
 * it changes during its own round alone. So the state at the end of a round is all that a joiner keeps to go back to it.
 */
export interface ExchangeState {
  /** Number of rounds that have begun, the current one included. Rounds that were abandoned do not count. */
  readonly rounds: number;
  /** Usage of the rounds before the current one. */
  readonly used: RoundsUsage;
  readonly isInRound: boolean;
  /** Whether responses are whole bodies. The first round decides; before it, the request does. */
  readonly isWhole: boolean;
  readonly hasStarted: boolean;
  readonly hasShown: boolean;
  /** See `ResponseJoiner`. */
  readonly amendedStart?: StreamEvent | undefined;
  readonly reader: ResponseReader;
}

/** Reads the response of one round. */
export interface ResponseReader {
  /** Counts of tokens, undefined as long as the response has reported none. */
  readonly usage: JsonObject | undefined;
  readonly notices?: RoundNotices | undefined;
}

/** A state, and the events that go to the client on the way to it. */
export interface Step<State> {
  readonly state: State;
  readonly events: readonly WireEvent[];
}

/** A round that ended well, and the state that it has left. */
export interface EndedRound<State> {
  readonly kind: 'ended';
  readonly state: State;
  readonly turn: Turn;
  readonly stopReason: string | undefined;
}

/**
 * The part of joining responses that differs from format to format: how the state of an exchange follows from events.
 *
 * Contract: no function changes anything but what `begin` has made for the current round, and none throws for what an upstream may send.
 */
export interface RoundReducer<State extends ExchangeState> {
  /** The state in which a round begins, given the state that earlier rounds have left: with a new reader. */
  begin(left: State): State;
  takeEvent(state: State, event: StreamEvent): Step<State>;
  takeWhole(state: State, text: string): Step<State>;
  /** Whether comments of a stream reach the client. Without this function they do. */
  passesComments?(state: State): boolean;
  /** Whether the current round has come to its terminal event, or is not worth reading on. */
  isOver(state: State): boolean;
  /** How the current round ends, now that its body has. */
  end(state: State): EndedRound<State> | RoundFailure;
  /** The rest of a stream, or the whole body. */
  finish(state: State): readonly WireEvent[];
  fail(state: State, failure: RoundFailure): readonly WireEvent[];
  /** The state in which the next round begins the response anew; undefined where it is too late. */
  retractStart?(state: State): State | undefined;
  /** The state in which the next round begins with results; only formats have it whose clients see searches. */
  takeResults?(state: State, results: readonly SearchResult[]): State;
}

/** No events. */
export const NOTHING: readonly WireEvent[] = [];

/** The state with these members; the very same one where none differs, as for most events of a stream. */
export function withState<State extends object>(state: State, members: Partial<State>): State {
  for (const key in members) if (members[key] !== state[key]) return { ...state, ...members };
  return state;
}

/** Takes several things, one after the other. */
export function takeAll<State, Thing>(
  state: State,
  things: Iterable<Thing>,
  take: (state: State, thing: Thing) => Step<State>,
): Step<State> {
  const events: WireEvent[] = [];
  let last = state;
  for (const thing of things) {
    const step = take(last, thing);
    last = step.state;
    events.push(...step.events);
  }
  return { state: last, events };
}

/** A step and the one that follows from its state, as one. */
export function andThen<State>(
  { state, events }: Step<State>,
  take: (state: State) => Step<State>,
): Step<State> {
  const next = take(state);
  return events.length === 0 ? next : { state: next.state, events: [...events, ...next.events] };
}

/** The state of an exchange before its first round, except what the format adds. */
export function startOfExchange(
  { isStream }: RequestView,
  rules: CountRules,
  usageShown: UsageShown,
): Omit<ExchangeState, 'reader'> {
  return {
    rounds: 0,
    used: new RoundsUsage(rules, usageShown),
    isInRound: false,
    isWhole: !isStream,
    hasStarted: false,
    hasShown: false,
    amendedStart: undefined,
  };
}

/** Joins the rounds of one exchange: owns their life, and leaves to a format's reducer what their events come to. */
export class RoundJoiner<State extends ExchangeState> implements ResponseJoiner {
  readonly #reducer: RoundReducer<State>;
  #state: State;
  /** The state that the last round that ended well has left. */
  #kept: State;
  /** Absent where the format cannot begin a response anew. */
  readonly retractStart?: () => void;
  readonly takeResults?: (results: readonly SearchResult[]) => void;

  constructor(reducer: RoundReducer<State>, start: State) {
    this.#reducer = reducer;
    this.#state = start;
    this.#kept = start;
    const { retractStart, takeResults } = reducer;
    if (retractStart)
      this.retractStart = () => this.#keep(withoutStart(retractStart.call(reducer, this.#state)));
    if (takeResults)
      this.takeResults = (results) => this.#keep(takeResults.call(reducer, this.#state, results));
  }

  get hasStarted(): boolean {
    return this.#state.hasStarted;
  }

  get hasShown(): boolean {
    return this.#state.hasShown;
  }

  get usage(): Usage | undefined {
    const { used, reader } = this.#state;
    return used.tokensWith(reader.usage);
  }

  get notices(): RoundNotices | undefined {
    return this.#state.reader.notices;
  }

  get isRoundOver(): boolean {
    return this.#state.isInRound && this.#reducer.isOver(this.#state);
  }

  get amendedStart(): StreamEvent | undefined {
    return this.#state.amendedStart;
  }

  feed(event: WireEvent): readonly WireEvent[] {
    if (!this.#state.isInRound) this.#begin(event.kind === 'whole');
    const { state, events } = this.#take(event);
    this.#state = state;
    // A whole body comes with `finish`.
    return state.isWhole ? NOTHING : this.#given(events);
  }

  endRound(): RoundEnd {
    // A body without a single event is a round all the same.
    if (!this.#state.isInRound) this.#begin(this.#state.isWhole);
    const end = this.#reducer.end(this.#state);
    const state = end.kind === 'failed' ? this.#state : end.state;
    this.#state = { ...state, isInRound: false };
    if (end.kind === 'failed') return end;
    this.#kept = this.#state;
    const { turn, stopReason } = end;
    const isSearching = turn.searches.length > 0 && turn.realCalls.length === 0;
    return isSearching ? { kind: 'searching', turn } : { kind: 'finished', turn, stopReason };
  }

  abandonRound(): void {
    this.#state = this.#kept;
  }

  finish(): readonly WireEvent[] {
    return this.#given(this.#reducer.finish(this.#state));
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    return this.#given(this.#reducer.fail(this.#state, failure));
  }

  /** Changes the state between two rounds. */
  #keep(state: State | undefined): void {
    if (state === undefined) return;
    this.#state = state;
    this.#kept = state;
  }

  #begin(isWhole: boolean): void {
    const { rounds, used, reader, ...left } = this.#state;
    this.#state = {
      ...this.#reducer.begin(this.#state),
      rounds: rounds + 1,
      used: used.after(reader.usage),
      isInRound: true,
      isWhole: rounds === 0 ? isWhole : left.isWhole,
    };
  }

  #take(event: WireEvent): Step<State> {
    const state = this.#state;
    switch (event.kind) {
      case 'comment': {
        const isPassed = this.#reducer.passesComments?.(state) ?? true;
        return { state, events: isPassed ? [event] : NOTHING };
      }
      case 'whole':
        return this.#reducer.takeWhole(state, event.text);
      case 'event':
        return this.#reducer.takeEvent(state, event);
      default:
        return event satisfies never;
    }
  }

  #given(events: readonly WireEvent[]): readonly WireEvent[] {
    const isFirst = events.length > 0 && !this.#state.hasStarted;
    if (isFirst) this.#state = { ...this.#state, hasStarted: true };
    return events;
  }
}

function withoutStart<State extends ExchangeState>(state: State | undefined): State | undefined {
  return state && { ...state, hasStarted: false };
}
