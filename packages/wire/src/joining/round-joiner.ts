import {
  type ResponseJoiner,
  type RoundEnd,
  type RoundFailure,
  roundFailure,
} from '../format/response-joiner.ts';
import type { RequestView, SearchResult, Turn, Usage } from '../format/view.ts';
import type { StreamEvent, WireEvent } from '../framing/framing.ts';
import type { JsonObject } from '../json/json-value.ts';

import { type CountRules, RoundsUsage } from './rounds-usage.ts';

/**
 * State of an exchange whose rounds are joined. Formats add their own members.
 *
 * Contract: an immutable value. An event creates another state and changes nothing in place, except the parts
 * that `begin` creates for each round, such as `reader`, which change only during their own round. To go back
 * to the end of a round, a joiner therefore keeps only the state at that point.
 */
export interface ExchangeState {
  /** The number of rounds that have begun, including the current one. Abandoned rounds do not count. */
  readonly rounds: number;
  /** Usage of the rounds before the current one. */
  readonly used: RoundsUsage;
  readonly isInRound: boolean;
  /** Whether responses are whole bodies. The request decides until the first round does. */
  readonly isWhole: boolean;
  readonly hasStarted: boolean;
  readonly hasShown: boolean;
  /** Events that wait until it is clear whether the client may see them; some formats have none. */
  readonly undecided?: { readonly events: readonly object[] };
  /** See `ResponseJoiner`. */
  readonly amendedStart?: StreamEvent | undefined;
  readonly reader: ResponseReader;
}

/** Reads the response of one round. */
export interface ResponseReader {
  /** Token counts; undefined until the response reports some. */
  readonly usage: JsonObject | undefined;
}

/** A state, and the events for the client that led to it. */
export interface Step<State> {
  readonly state: State;
  readonly events: readonly WireEvent[];
}

/** A round that ended well, and the state that it left. */
export interface EndedRound<State> {
  readonly kind: 'ended';
  readonly state: State;
  readonly turn: Turn;
  readonly stopReason: string | undefined;
}

/**
 * The format-specific part of joining responses: the transitions between states.
 *
 * Contract: functions change only what `begin` has created for the current round, and never throw, whatever
 * an upstream sends.
 */
export interface RoundReducer<State extends ExchangeState> {
  /**
   * Returns the state at the beginning of a round, with a new reader, from the state that earlier rounds
   * left.
   */
  begin(left: State): State;
  takeEvent(state: State, event: StreamEvent): Step<State>;
  takeWhole(state: State, text: string): Step<State>;
  /** Whether the current round has received its terminal event, or is not worth reading further. */
  isOver(state: State): boolean;
  /** Returns the end of the current round, whose body has ended. */
  end(state: State): EndedRound<State> | RoundFailure;
  /** Returns the rest of a stream, or the whole body. */
  finish(state: State): readonly WireEvent[];
  fail(state: State, failure: RoundFailure): readonly WireEvent[];
  /** Returns the text of an event that the format does not know, which may be an error; undefined for others. */
  strayText?(event: StreamEvent): string | undefined;
  /** Returns the state in which the next round begins the response again; undefined when it is too late. */
  retractStart?(state: State): State | undefined;
  /**
   * Returns the state in which the next round begins with results. Only formats whose clients see searches
   * have this function.
   */
  takeResults?(state: State, results: readonly SearchResult[]): State;
}

/** The most events that are held because they may be an error: lines of a page, or of JSON. */
const MOST_STRAYS = 64;

/** No events. */
export const NOTHING: readonly WireEvent[] = [];

/**
 * Returns the state with these members; the same object when none differs, as for most events of a stream.
 */
export function withState<State extends object>(state: State, members: Partial<State>): State {
  for (const key in members) if (members[key] !== state[key]) return { ...state, ...members };
  return state;
}

/** Takes several inputs, one after the other. */
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

/** Joins a step with the one that follows from its state. */
export function andThen<State>(
  { state, events }: Step<State>,
  take: (state: State) => Step<State>,
): Step<State> {
  const next = take(state);
  return events.length === 0 ? next : { state: next.state, events: [...events, ...next.events] };
}

/** Returns the state of an exchange before its first round, without the format's own members. */
export function startOfExchange({ isStream }: RequestView, rules: CountRules): Omit<ExchangeState, 'reader'> {
  return {
    rounds: 0,
    used: new RoundsUsage(rules),
    isInRound: false,
    isWhole: !isStream,
    hasStarted: false,
    hasShown: false,
    amendedStart: undefined,
  };
}

/** Joins the rounds of one exchange. It owns their life cycle; a format's reducer handles their events. */
export class RoundJoiner<State extends ExchangeState> implements ResponseJoiner {
  readonly #reducer: RoundReducer<State>;
  #state: State;
  /** The state after the last round that ended well. */
  #kept: State;
  /** The last events of a later round if the format does not know them. They pass once another one follows. */
  #strays: WireEvent[] = [];

  constructor(reducer: RoundReducer<State>, start: State) {
    this.#reducer = reducer;
    this.#state = start;
    this.#kept = start;
  }

  get canRetractStart(): boolean {
    return this.#reducer.retractStart !== undefined;
  }

  get hasStarted(): boolean {
    return this.#state.hasStarted;
  }

  get hasShown(): boolean {
    return this.#state.hasShown;
  }

  get isHolding(): boolean {
    return (this.#state.undecided?.events.length ?? 0) > 0;
  }

  get usage(): Usage | undefined {
    const { used, reader } = this.#state;
    return used.tokensWith(reader.usage);
  }

  get isRoundOver(): boolean {
    return this.#state.isInRound && this.#reducer.isOver(this.#state);
  }

  get amendedStart(): StreamEvent | undefined {
    return this.#state.amendedStart;
  }

  feed(event: WireEvent): readonly WireEvent[] {
    if (!this.#state.isInRound) this.#begin(event.kind === 'whole');
    const isHeld = this.#state.rounds > 1 && this.#strayText(event) !== undefined;
    // So it is with nearly all events.
    if (!isHeld && this.#strays.length === 0) return this.#pass(event);
    const strays = [...this.#strays, event];
    this.#strays = isHeld ? strays.splice(-MOST_STRAYS) : [];
    return strays.flatMap((one) => this.#pass(one));
  }

  #pass(event: WireEvent): readonly WireEvent[] {
    const { state, events } = this.#take(event);
    this.#state = state;
    // A whole body is returned by `finish`.
    return state.isWhole ? NOTHING : this.#given(events);
  }

  /** Some servers write an error into a stream as it is: lines of JSON or HTML, which are no events. */
  #strayText(event: WireEvent): string | undefined {
    if (event.kind === 'event') return this.#reducer.strayText?.(event);
    const text = event.kind === 'comment' && event.text !== '' ? event.source?.text.trim() : undefined;
    return text?.startsWith(':') ? undefined : text;
  }

  endRound(): RoundEnd {
    // A body without events is a round as well.
    if (!this.#state.isInRound) this.#begin(this.#state.isWhole);
    const end = this.#endOf(this.#reducer.end(this.#state));
    const state = end.kind === 'failed' ? this.#state : end.state;
    this.#state = { ...state, isInRound: false };
    if (end.kind === 'failed') return end;
    this.#kept = this.#state;
    const { turn, stopReason } = end;
    const isSearching = turn.searches.length > 0 && turn.realCalls.length === 0;
    return isSearching ? { kind: 'searching', turn } : { kind: 'finished', turn, stopReason };
  }

  /** The last thing that a broken round says is its error. */
  #endOf<End>(end: End | RoundFailure): End | RoundFailure {
    const said = this.#strays.map((stray) => this.#strayText(stray)).join('\n');
    this.#strays = [];
    const isBroken = (end as RoundFailure).reason === 'truncated' && said !== '';
    return isBroken ? roundFailure('upstream_error', said) : end;
  }

  abandonRound(): void {
    this.#state = this.#kept;
  }

  retractStart(): void {
    this.#keep(withoutStart(this.#reducer.retractStart?.(this.#state)));
  }

  takeResults(results: readonly SearchResult[]): void {
    this.#keep(this.#reducer.takeResults?.(this.#state, results));
  }

  finish(): readonly WireEvent[] {
    return this.#given(this.#reducer.finish(this.#state));
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    const isSilent = failure.isSilent === true && !this.#state.isWhole;
    return this.#given(
      isSilent ? this.#reducer.finish(this.#state) : this.#reducer.fail(this.#state, failure),
    );
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
      case 'comment':
        // A client of Ollama warns of blank lines.
        return { state, events: state.rounds > 1 && event.source?.framing === 'ndjson' ? NOTHING : [event] };
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
