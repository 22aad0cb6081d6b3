import { type Keep, type RoundFailure, roundFailure } from '../format/response-joiner.ts';
import type { RequestView, Turn } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/framing.ts';
import { memberOf, parseObject } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import type { Vendor } from '../vendors/vendor.ts';
import { hideMentionsAround, type SpokenMembers } from './hide-mentions.ts';
import { brokenOff, errorIn, isUntouched, ownError, type PartReader } from './part-state.ts';
import { readData } from './read-event.ts';
import {
  type EndedRound,
  type ExchangeState,
  NOTHING,
  type RoundReducer,
  type Step,
  startOfExchange,
} from './round-joiner.ts';
import type { RoundMemory } from './round-memory.ts';
import type { CountRules } from './rounds-usage.ts';
import { seamBetween } from './seam.ts';

/** Reads a response of chunks. */
interface ChunkReader extends PartReader {
  readonly stopReason: string | undefined;
  readonly memory: RoundMemory;
  /** Whether a chunk has had content. */
  hasContent: boolean;
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
  /** The latest text of the rounds before; empty as soon as the current round has text. */
  readonly textBefore: string;
  /** Whether the client has received a stop reason. */
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
  /** Whether that body is not a response of the format. */
  readonly isBroken: boolean;
  /** Whether the response has reached its terminal event. */
  readonly isDone: boolean;
}

const ROUND_START = {
  error: undefined,
  unread: undefined,
  body: '',
  isBroken: false,
  isDone: false,
} as const;

/** Joins responses of chunks. Formats define how chunks and whole responses are read and edited. */
export abstract class ChunkReducer<State extends ChunkState> implements RoundReducer<State> {
  protected readonly hidden: HiddenNames;
  protected readonly keep: Keep | undefined;

  constructor(hidden: HiddenNames, keep: Keep | undefined) {
    this.hidden = hidden;
    this.keep = keep;
  }

  protected abstract readonly vendor: Pick<Vendor, 'errorBody'>;
  /** The members that identify a response. A response without the first one has no identity. */
  protected readonly identifying: readonly string[] = [];
  /** Returns the format's own members of the state for a round after this number of rounds. */
  protected abstract newRound(rounds: number): Pick<State, 'reader'>;
  /** The members that hold the model's output. Others are removed if they name a hidden tool. */
  protected abstract readonly spoken: SpokenMembers;
  /** Returns the text of a model's message, which clients read as one string; empty when there is none. */
  protected abstract textIn(message: JsonObject): string;
  protected abstract takeChunk(state: State, event: StreamEvent, chunk: JsonObject): Step<State>;
  /** Takes a whole response within a stream. */
  protected takeBody(state: State, data: string, _response: JsonObject): Step<State> {
    return this.takeEvent(state, { kind: 'event', data });
  }
  /** Returns the held tail of a stream. */
  protected abstract finishStream(state: State): readonly StreamEvent[];
  /** Returns the last response's body with the visible content of all responses. */
  protected abstract joinBody(state: State, body: string): string;
  /** Returns the shared members of the state before the first round. */
  start(view: RequestView, rules: CountRules) {
    const shared = { identity: undefined, turns: [], textBefore: '', hasSentStop: false } as const;
    return { ...startOfExchange(view, rules), ...ROUND_START, ...shared };
  }

  begin(left: State): State {
    return { ...left, ...ROUND_START, ...this.newRound(left.rounds), textBefore: this.#textOf(left.turns) };
  }

  /** Takes an event, and passes the unread event before it. Events after an error are ignored, except the end. */
  takeEvent(state: State, event: StreamEvent): Step<State> {
    const { error, unread, rounds } = state;
    if (error !== undefined) {
      return { state: this.isEnd(event) ? { ...state, unread: event } : state, events: NOTHING };
    }
    if (unread === undefined) return this.#readEvent(state, event);
    const isObject = parseObject(unread.data) !== undefined;
    if (isObject && this.isEnd(event) && state.reader.stopReason === undefined) {
      return { state: { ...state, unread: event, error: unread }, events: NOTHING };
    }
    const isHidden = this.hidden.areIn(unread.data) || (isObject && rounds > 1);
    if (isHidden) return this.#readEvent({ ...state, unread: undefined }, event);
    const hasShown = state.hasShown || !isObject;
    const step = this.#readEvent({ ...state, unread: undefined, hasShown }, event);
    return { ...step, events: [unread, ...step.events] };
  }

  takeWhole(state: State, sent: string): Step<State> {
    const cleaned = this.clean(sent);
    const response = parseObject(cleaned);
    const isInStream = !state.isWhole && response !== undefined;
    if (isInStream && (this.holdsError(response) || this.#isResponse(response)))
      return this.takeBody(state, cleaned, response);
    const isDone =
      response !== undefined && !this.#isError(response) && state.reader.takeWhole(response, cleaned);
    const body = isDone ? cleaned : sent;
    return { state: { ...state, body, isDone, isBroken: !isDone }, events: NOTHING };
  }

  #isResponse(response: JsonObject): boolean {
    return this.newRound(0).reader.takeWhole(response, JSON.stringify(response));
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
    if (isSearching && reader.memory.isShort) return roundFailure('held_too_much');
    const { stopReason } = reader;
    // Only a round that searches is followed by another, in which its identity is needed.
    const hasIdentity = state.identity !== undefined || !state.isWhole || said.searches.length === 0;
    const identity = hasIdentity ? state.identity : this.#identityIn(state.body);
    return { kind: 'ended', state: { ...state, identity, turns: [...turns, said] }, turn, stopReason };
  }

  finish(state: State): readonly WireEvent[] {
    const { isWhole, body } = state;
    if (!isWhole) return this.finishStream(state);
    return [{ kind: 'whole', text: isUntouched(state) ? body : this.joinBody(state, body) }];
  }

  /**
   * Returns the error that the upstream sent in its stream; otherwise the error or the status of its refusal;
   * otherwise Winnow's own error. An error that names a hidden tool is replaced, and one of a later round that
   * clients would not take for an error is told in the format's shape.
   */
  fail({ isWhole, rounds, unread, ...state }: State, failure: RoundFailure): readonly WireEvent[] {
    const sent = state.error ?? (failure.reason === 'upstream_error' ? unread : undefined);
    const isTold = sent !== undefined && (rounds === 1 || this.#isToldBy(sent));
    if (isTold && !this.hidden.areIn(sent.data)) {
      const end = state.error && unread ? [unread] : NOTHING;
      return isWhole ? [{ kind: 'whole', text: sent.data }] : [sent, ...end];
    }
    const refusal = failure.refusal ?? (sent && { status: 502, body: sent.data });
    const data = this.#ownError(refusal ? { ...failure, refusal } : failure);
    return [isWhole ? { kind: 'whole', text: data } : { kind: 'event', data }];
  }

  #isToldBy(event: StreamEvent): boolean {
    const chunk = readData(event);
    return event.name === 'error' || (chunk !== undefined && this.holdsError(chunk));
  }

  /** Whether a stream that has ended is complete. */
  protected isComplete({ isDone, reader }: State): boolean {
    return isDone || reader.stopReason !== undefined;
  }

  /** Whether an event ends a stream without being a chunk. */
  protected isEnd(_event: StreamEvent): boolean {
    return false;
  }

  /** Whether a chunk, or a whole response, has content besides an error. */
  protected abstract says(response: JsonObject): boolean;

  protected isOverfull({ reader }: State): boolean {
    return reader.memory.isOverfull;
  }

  /** Returns the error in the body of a refusal as an event's data; undefined for a body of another shape. */
  protected errorIn(body: string): string | undefined {
    return errorIn(body);
  }

  /** Returns a response or a chunk without the members around its content that name a hidden tool. */
  protected clean(text: string): string {
    return hideMentionsAround(text, this.hidden, this.spoken);
  }

  /** Takes an event that is not a chunk. */
  protected takeUnread(state: State, event: StreamEvent): Step<State> {
    return { state: { ...state, unread: event }, events: NOTHING };
  }

  /** Returns the event for reading. */
  protected cleanEvent(event: StreamEvent): StreamEvent {
    return withData(event, this.clean(event.data));
  }

  /** Returns what separates a text of the current round from those before it, and the state behind the text. */
  protected seamBefore(state: State, text: string): { readonly state: State; readonly seam: string } {
    if (state.textBefore === '' || text === '') return { state, seam: '' };
    return { state: { ...state, textBefore: '' }, seam: seamBetween(state.textBefore, text) };
  }

  #textOf(turns: readonly Turn[]): string {
    const texts = turns.map(({ message }) => this.textIn(JSON.parse(message) as JsonObject));
    return texts.findLast((text) => text !== '') ?? '';
  }

  #readEvent(state: State, sent: StreamEvent): Step<State> {
    const event = this.cleanEvent(sent);
    const chunk = readData(event);
    const isError = event.name === 'error' || (chunk !== undefined && this.#isError(chunk));
    if (isError) return { state: { ...state, error: event }, events: NOTHING };
    if (chunk === undefined) return this.takeUnread(state, event);
    const known = state.identity === undefined ? this.#withIdentity(state, event, chunk) : state;
    state.reader.hasContent ||= this.says(chunk);
    return this.takeChunk(known, event, chunk);
  }

  /** Some servers send an object, others a text. A chunk with content is not an error. */
  #isError(chunk: JsonObject): boolean {
    return this.holdsError(chunk) && !this.says(chunk);
  }

  protected holdsError(chunk: JsonObject): boolean {
    return isError(chunk.error);
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

  /** A first body that is not a response is not a failure: the client gets it unchanged, as without Winnow. */
  #failureOf(state: State): RoundFailure | undefined {
    if (state.error !== undefined) return roundFailure('upstream_error');
    const isLast = state.unread !== undefined && state.reader.stopReason === undefined;
    if (isLast && !isCutOff(state.unread.data)) return roundFailure('upstream_error');
    if (this.isOverfull(state)) return roundFailure('held_too_much');
    // A client that has requested a whole response cannot get one from a stream.
    const isComplete = state.isWhole ? state.body !== '' : this.isComplete(state);
    if (!state.isBroken && isComplete) return undefined;
    // The original request may get a response where the edited one gets an empty one.
    if (!state.isBroken && state.isDone && state.rounds === 1) return roundFailure('malformed_answer');
    if (!state.isBroken) return brokenOff(state.rounds > 1 && !state.reader.hasContent);
    return state.rounds === 1 && !this.hidden.areIn(state.body)
      ? undefined
      : roundFailure('malformed_answer', state.body);
  }

  #ownError(failure: RoundFailure): string {
    const { body } = failure.refusal ?? { body: '' };
    const sent = this.hidden.areIn(body) ? undefined : this.errorIn(body);
    return sent ?? this.vendor.errorBody(ownError(failure, this.hidden));
  }
}

/** Whether a text is the beginning of a chunk. */
function isCutOff(text: string): boolean {
  return text.trimStart().startsWith('{') && parseObject(text) === undefined;
}

/** Whether the value of a chunk's `error` tells of one: some servers have an empty one in every chunk. */
export function isError(error: unknown): boolean {
  if (typeof error === 'string') return error !== '';
  if (typeof error === 'number' || error === true) return true;
  if (Array.isArray(error)) return error.length > 0;
  return isJsonObject(error) && Object.values(error).some((value) => value !== null && value !== '');
}
