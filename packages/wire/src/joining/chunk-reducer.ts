import type { RoundFailure } from '../format/response-joiner.ts';
import type { RequestView, Turn } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { memberOf, parseObject } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import type { Vendor } from '../vendors/vendor.ts';
import { hideMentionsAround, type SpokenMembers } from './hide-mentions.ts';
import type { Keep } from './keep.ts';
import { isUntouched, type PartReader } from './part-state.ts';
import { roundFailure } from './round-failure.ts';
import {
  type EndedRound,
  type ExchangeState,
  NOTHING,
  type RoundReducer,
  type Step,
  startOfExchange,
} from './round-joiner.ts';
import type { CountRules } from './rounds-usage.ts';
import type { UsageShown } from './shown-counts.ts';

/** Reads a response of chunks. */
export interface ChunkReader extends PartReader {
  readonly stopReason: string | undefined;
  /** Whether the response is too long to be sent back to the upstream. */
  readonly isTooLong: boolean;
  /** Whether the response is not worth reading on: calls go on to begin although there is no memory for more. */
  readonly isOverfull: boolean;
  /** Takes a whole response; returns false for any other object. */
  takeWhole(response: JsonObject, body: string): boolean;
}

/** The members of a response that identify it, as JSON. */
export type Identity = Readonly<Record<string, string>>;

/** State of an exchange whose streams consist of chunks with the shape of a whole response. */
export interface ChunkState extends ExchangeState {
  readonly reader: ChunkReader;
  /** The identity of the first response. */
  readonly identity: Identity | undefined;
  /** The turns of the rounds that ended well. */
  readonly turns: readonly Turn[];
  /** Whether the client has got the reason why a response ended. */
  readonly hasSentStop: boolean;
  /** An error that the upstream has sent in its stream. */
  readonly error: StreamEvent | undefined;
  /**
   * An event that is not a chunk. It goes to the client when another event follows; as the last event, it is
   * a chunk that was cut off.
   */
  readonly unread: StreamEvent | undefined;
  /** The whole body; empty until it has arrived. */
  readonly body: string;
  /** Whether that body is no response of the format. */
  readonly isBroken: boolean;
  /** Whether the response has come to its terminal event. */
  readonly isDone: boolean;
}

const ROUND_START = {
  error: undefined,
  unread: undefined,
  body: '',
  isBroken: false,
  isDone: false,
} as const;

/** Joins responses of chunks. Formats add how chunks and whole responses are read and edited. */
export abstract class ChunkReducer<State extends ChunkState> implements RoundReducer<State> {
  protected readonly hidden: HiddenNames;
  protected readonly keep: Keep | undefined;

  constructor(hidden: HiddenNames, keep: Keep | undefined) {
    this.hidden = hidden;
    this.keep = keep;
  }

  protected abstract readonly vendor: Pick<Vendor, 'errorBody'>;
  /** Members that identify a response; the first is always there where any is. */
  protected readonly identifying: readonly string[] = [];
  /** Returns the members of a state that the format adds for each round; `rounds` is the number of rounds before it. */
  protected abstract newRound(rounds: number): Pick<State, 'reader'>;
  /** Members that hold what the model says. Others that name a hidden tool are left out. */
  protected abstract readonly spoken: SpokenMembers;
  protected abstract isError(chunk: JsonObject, event: StreamEvent): boolean;
  protected abstract takeChunk(state: State, event: StreamEvent, chunk: JsonObject): Step<State>;
  /** Takes a whole response within a stream; undefined stands for any other text. */
  protected abstract takeBody(state: State, body: string, response: JsonObject | undefined): Step<State>;
  /** Returns the held tail of a stream. */
  protected abstract finishStream(state: State): readonly StreamEvent[];
  /** Returns the last response's body, with what all of them said to the client. */
  protected abstract joinBody(state: State, body: string): string;
  /** Returns the members that formats share in the state of an exchange before its first round. */
  start(view: RequestView, rules: CountRules, usageShown: UsageShown) {
    const shared = { identity: undefined, turns: [], hasSentStop: false } as const;
    return { ...startOfExchange(view, rules, usageShown), ...ROUND_START, ...shared };
  }

  begin(left: State): State {
    return { ...left, ...ROUND_START, ...this.newRound(left.rounds) };
  }

  /** Takes an event, after the event before it if that is not given out yet. Nothing follows an error. */
  takeEvent(state: State, event: StreamEvent): Step<State> {
    const { error, unread } = state;
    if (error !== undefined) return { state, events: NOTHING };
    if (unread === undefined) return this.#readEvent(state, event);
    if (this.hidden.areIn(unread.data)) return this.#readEvent({ ...state, unread: undefined }, event);
    const step = this.#readEvent({ ...state, unread: undefined, hasShown: true }, event);
    return { ...step, events: [unread, ...step.events] };
  }

  takeWhole(state: State, body: string): Step<State> {
    const response = parseObject(body);
    if (!state.isWhole) return this.takeBody(state, body, response);
    const isDone = response !== undefined && state.reader.takeWhole(response, body);
    const identity = state.identity ?? this.#identityIn(body);
    return { state: { ...state, identity, body, isDone, isBroken: !isDone }, events: NOTHING };
  }

  isOver(state: State): boolean {
    return state.isDone || this.isOverfull(state);
  }

  end(state: State): EndedRound<State> | RoundFailure {
    const failure = this.#failureOf(state);
    if (failure !== undefined) return failure;
    const { reader, hasSentStop, turns } = state;
    const said = reader.turn();
    const turn = hasSentStop ? { ...said, searches: [] } : said;
    const isSearching = turn.searches.length > 0 && turn.realCalls.length === 0;
    if (isSearching && reader.isTooLong) return roundFailure('held_too_much');
    const { stopReason } = reader;
    return { kind: 'ended', state: { ...state, turns: [...turns, said] }, turn, stopReason };
  }

  finish(state: State): readonly WireEvent[] {
    if (!state.isWhole) return this.finishStream(state);
    const body = this.clean(state.body);
    return [{ kind: 'whole', text: isUntouched(state) ? body : this.joinBody(state, body) }];
  }

  /**
   * Gives the client the error that the upstream has sent; else the one that it has refused the round with, or at least its status; else Winnow's own.
   * Nothing of it names what is hidden.
   */
  fail({ error, isWhole }: State, { message, refusal }: RoundFailure): readonly WireEvent[] {
    const isOurs = error === undefined || this.hidden.areIn(error.data);
    const own = () => this.#refusalIn(refusal) ?? this.vendor.errorBody({ status: 502, message });
    const event: StreamEvent = isOurs ? { kind: 'event', data: own() } : error;
    return [isWhole ? { kind: 'whole', text: event.data } : event];
  }

  /** Whether a response that has ended is all there. */
  protected isComplete({ isDone, reader }: State): boolean {
    return isDone || reader.stopReason !== undefined;
  }

  protected isOverfull({ reader }: State): boolean {
    return reader.isOverfull;
  }

  /** Returns the error within the body of a refusal as an event's data; undefined where it is no error of the format. */
  protected errorIn(body: string): string | undefined {
    return isJsonObject(parseObject(body)?.error) ? body : undefined;
  }

  /** Returns a response, or a chunk, without the members around its content that name a hidden tool. */
  protected clean(text: string): string {
    return hideMentionsAround(text, this.hidden, this.spoken);
  }

  /** Takes an event that is no chunk. */
  protected takeUnread(state: State, event: StreamEvent): Step<State> {
    return { state: { ...state, unread: event }, events: NOTHING };
  }

  /** Returns the event as it is to be read. */
  protected cleanEvent(event: StreamEvent): StreamEvent {
    return withData(event, this.clean(event.data));
  }

  #readEvent(state: State, sent: StreamEvent): Step<State> {
    const event = this.cleanEvent(sent);
    const chunk = parseObject(event.data);
    if (chunk === undefined) return this.takeUnread(state, event);
    if (this.isError(chunk, event)) return { state: { ...state, error: event }, events: NOTHING };
    const known = state.identity === undefined ? this.#withIdentity(state, event, chunk) : state;
    return this.takeChunk(known, event, chunk);
  }

  #withIdentity(state: State, { data }: StreamEvent, chunk: JsonObject): State {
    const id = chunk[this.identifying[0] ?? ''];
    return typeof id === 'string' && id !== '' ? { ...state, identity: this.#identityIn(data) } : state;
  }

  #identityIn(text: string): Identity {
    const members = this.identifying.map((key) => [key, memberOf(text, key)] as const);
    return Object.fromEntries(
      members.filter((member): member is readonly [string, string] => member[1] !== undefined),
    );
  }

  /** The client gets a first body that is no response as it is: that is what it would have got without Winnow. */
  #failureOf(state: State): RoundFailure | undefined {
    if (state.error !== undefined) return roundFailure('upstream_error');
    if (this.isOverfull(state)) return roundFailure('held_too_much');
    if (!state.isBroken) return this.isComplete(state) ? undefined : roundFailure('truncated');
    return state.rounds === 1 && !this.hidden.areIn(state.body)
      ? undefined
      : roundFailure('malformed_answer');
  }

  #refusalIn(refusal: RoundFailure['refusal']): string | undefined {
    if (refusal === undefined) return undefined;
    const { status, body } = refusal;
    const sent = this.hidden.areIn(body) ? undefined : this.errorIn(body);
    return sent ?? this.vendor.errorBody({ status, message: `The upstream answered with status ${status}.` });
  }
}
