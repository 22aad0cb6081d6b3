import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import {
  beginEnvelope,
  type EnvelopeState,
  envelopeFailure,
  failWhole,
  giveOut,
  holdTail,
  open,
  type ReadEvent,
  retractEnvelope,
  startOfEnvelopes,
  storedTurn,
  takeWholeBody,
} from '../joining/envelope-state.ts';
import type { Keep } from '../joining/keep.ts';
import { isNumberedAsSent, isUntouched, placeOf } from '../joining/part-state.ts';
import {
  andThen,
  type EndedRound,
  NOTHING,
  RoundJoiner,
  type RoundReducer,
  type Step,
  startOfExchange,
  takeAll,
} from '../joining/round-joiner.ts';
import type { CountRules } from '../joining/rounds-usage.ts';
import { shownCounts } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { memberOf, parseObject, withMember } from '../json/json-members.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { elementTexts } from '../turns/runs.ts';
import { openai } from '../vendors/openai.ts';
import { countTokens } from './count-tokens.ts';
import { failedResponse, NO_RESPONSE } from './failed-response.ts';
import { joinBodies } from './join-bodies.ts';
import { asDeclared, withDeclaredItem, withPlace } from './place-item.ts';
import { ENDS, eventsOfWhole, type ResponseEvent, readResponseEvent, STARTS } from './response-events.ts';
import { type RestoreEcho, restoreEcho } from './restore-echo.ts';
import { type RoundItem, RoundReader } from './round-reader.ts';
import { type ItemKinds, itemKinds } from './search-items.ts';
import { shows } from './shows.ts';

/** The joiner for one exchange. Its first response decides whether the client gets a stream or one body. */
export const joinResponses: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  return new RoundJoiner<ResponsesState>(new ResponsesReducer(view, plan, keep), {
    ...startOfExchange(view, COUNT_RULES, usageShown),
    ...startOfEnvelopes(new RoundReader(itemKinds(view, plan), keep)),
    sequence: 0,
  });
};

const COUNT_RULES: CountRules = { toUsage: countTokens, sum: sumCounts, show: shownCounts };

/** Ends that say nothing of a fault. */
const GOOD_ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);

type HeldEvent = ReadEvent<ResponseEvent | undefined>;
type PassedEvent = ReadEvent<ResponseEvent, RoundItem>;

interface ResponsesState extends EnvelopeState<RoundReader, HeldEvent, PassedEvent> {
  /** The next number of an event in the client's stream. */
  readonly sequence: number;
}

/**
 * Steps of an event: 1. the reader keeps it; 2. the end of the response is held; 3. a later round's start and every search are dropped; 4. the rest
 * gets its place in the client's response, and an echo of the request what the client wrote.
 */
class ResponsesReducer implements RoundReducer<ResponsesState> {
  readonly #kinds: ItemKinds;
  readonly #restore: RestoreEcho;
  readonly #hidden: HiddenNames;
  readonly #keep: Keep | undefined;
  /** Whether the provider keeps the responses, so that the client may go on from the last one. */
  readonly #isStored: boolean;

  constructor(view: RequestView, plan: Plan, keep: Keep | undefined) {
    this.#kinds = itemKinds(view, plan);
    this.#restore = restoreEcho(view, plan);
    this.#hidden = hiddenNames(plan);
    this.#keep = keep;
    this.#isStored = view.body.store !== false;
  }

  begin(left: ResponsesState): ResponsesState {
    return beginEnvelope(left, new RoundReader(this.#kinds, this.#keep), this.#keep);
  }

  takeEvent(state: ResponsesState, event: StreamEvent): Step<ResponsesState> {
    return this.#pass(state, event, readResponseEvent(event.data));
  }

  takeWhole(state: ResponsesState, body: string): Step<ResponsesState> {
    return takeWholeBody(state, body, eventsOfWhole, this.#pass);
  }

  isOver({ reader: { end, isOverfull } }: ResponsesState): boolean {
    return end !== undefined || isOverfull;
  }

  end(state: ResponsesState): EndedRound<ResponsesState> | RoundFailure {
    const { end, stopReason } = state.reader;
    const failure = envelopeFailure(state, end?.type === 'response.failed', this.#hidden);
    return failure ?? { kind: 'ended', state, turn: storedTurn(state, this.#isStored), stopReason };
  }

  retractStart(state: ResponsesState): ResponsesState | undefined {
    const retracted = retractEnvelope(state);
    return retracted && { ...retracted, sequence: 0 };
  }

  finish(state: ResponsesState): readonly WireEvent[] {
    if (!state.isWhole) return andThen(open(state, this.#place), this.#finishTail).events;
    const body = state.body ?? memberOf(state.reader.end?.data ?? '{}', 'response') ?? '{}';
    return [{ kind: 'whole', text: this.#finishBody(state, body) }];
  }

  fail(state: ResponsesState, failure: RoundFailure): readonly WireEvent[] {
    const { refusal, reason, message } = failure;
    const own = openai.errorBody({ status: refusal?.status ?? 502, message });
    const hidden = this.#hidden;
    if (state.isWhole) {
      const sent = isErrorBody(refusal?.body) ? refusal!.body : own;
      return failWhole(state, failure, { sent, own, hidden });
    }
    const { events: again, state: opened } = andThen(this.#begun(state), (next) => open(next, this.#place));
    const held = reason === 'upstream_error' ? this.#finishTail(opened) : { state: opened, events: NOTHING };
    const sent = held.events.some((event) => hidden.areIn((event as StreamEvent).data))
      ? NOTHING
      : held.events;
    // A client that reads to the end of a response does not take a bare error for one.
    const { reader } = state;
    if (reader.end?.type === 'response.failed' && sent.length > 0) return [...again, ...sent];
    const error = sent.length > 0 ? reader.error!.data : refusal?.body;
    const response = failedResponse(this.#startOf(state), error, message, hidden);
    const data = `{"type":"response.failed","sequence_number":${held.state.sequence},"response":${response}}`;
    return [...again, ...sent, { kind: 'event', name: 'response.failed', data }];
  }

  /** A client takes no end of a response that has not begun: the head of this one was sent by a heartbeat, and each start taken back. */
  #begun(state: ResponsesState): Step<ResponsesState> {
    if (state.hasBegun) return { state, events: NOTHING };
    const response = this.#startOf(state) ?? NO_RESPONSE;
    const data = `{"type":"response.created","sequence_number":${state.sequence},"response":${response}}`;
    const next = { ...state, sequence: state.sequence + 1, hasBegun: true };
    return { state: next, events: [{ kind: 'event', name: 'response.created', data }] };
  }

  readonly #pass = (
    state: ResponsesState,
    event: StreamEvent,
    read: ResponseEvent | undefined,
  ): Step<ResponsesState> => {
    const item = read && state.reader.observe(read);
    const isEnd = read !== undefined && (ENDS.has(read.type) || read.type === 'error');
    if (state.tail.length > 0 || isEnd) {
      return holdTail(state, { event, read }, GOOD_ENDS.has(read?.type ?? ''), this.#finish);
    }
    if (read === undefined) return { state, events: this.#hidden.areIn(event.data) ? NOTHING : [event] };
    if (STARTS.has(read.type)) {
      const isOpening = state.rounds === state.opener + 1 && !state.isOpen;
      return isOpening
        ? this.#place({ ...state, hasBegun: true }, { event, read })
        : { state, events: NOTHING };
    }
    if (!item?.isSearch)
      return giveOut<PassedEvent, ResponsesState>(
        state,
        { event, read, part: item },
        shows(read, item),
        this.#place,
      );
    return andThen(open(state, this.#place), (next) => ({
      state: { ...next, hasHidden: true },
      events: NOTHING,
    }));
  };

  /** The event with its numbers in the client's response. */
  readonly #place = (
    state: ResponsesState,
    { event, read, part: item }: PassedEvent,
  ): Step<ResponsesState> => {
    const { sequence_number: number, output_index: given } = read.body;
    const isNumbered = typeof number === 'number';
    const sequence = isNumbered && isNumberedAsSent(state) ? number : state.sequence;
    const index = item && placeOf(state, item, given);
    const placed = withPlace(read, { sequence, index });
    const known = withDeclaredItem(placed, read.body.item, this.#kinds.isLone);
    const restored = isJsonObject(read.body.response) ? withMember(known, 'response', this.#restore) : known;
    const next = isNumbered ? { ...state, sequence: sequence + 1 } : state;
    return { state: next, events: [withData(event, restored)] };
  };

  readonly #finishTail = (state: ResponsesState): Step<ResponsesState> =>
    takeAll(state, state.tail, (next, held) => this.#finishEvent(next, held));

  readonly #finish = (state: ResponsesState, held: HeldEvent): Step<ResponsesState> =>
    andThen(open(state, this.#place), (next) => this.#finishEvent(next, held));

  /** An event of the end: of several rounds' responses one is made. */
  #finishEvent(state: ResponsesState, { event, read }: HeldEvent): Step<ResponsesState> {
    if (read === undefined) return { state, events: [event] };
    const placed = this.#place(state, { event, read });
    if (!isJsonObject(read.body.response)) return placed;
    const [{ data }] = placed.events as readonly [StreamEvent];
    const finished = withMember(data, 'response', (body) => this.#finishBody(state, body));
    return { state: placed.state, events: [withData(event, finished)] };
  }

  #finishBody(state: ResponsesState, body: string): string {
    if (!isUntouched(state)) return this.#joinBody(state, body);
    const restored = this.#restore(body);
    if (!restored.includes('"namespace"')) return restored;
    return withMember(restored, 'output', (output) => {
      const items = elementTexts(output);
      const known = this.#asDeclared(items);
      return known.every((item, at) => item === items[at]) ? output : `[${known.join(',')}]`;
    });
  }

  /** The last response's body, with what all of them said. */
  #joinBody({ readers, reader, opener, isWhole, rounds, used }: ResponsesState, body: string): string {
    const hasFailed = reader.end?.type === 'response.failed';
    return joinBodies(this.#restore(body), {
      readers,
      opener: readers[opener],
      // A stream has given out the first one's id.
      isLastId: isWhole && this.#isStored,
      items: hasFailed ? undefined : this.#asDeclared(readers.flatMap((one) => one.visibleItems())),
      usage: rounds === 1 ? undefined : used.shownWith(reader.usage),
    });
  }

  #asDeclared(items: readonly string[]): string[] {
    return items.map((item) => asDeclared(item, parseJson(item), this.#kinds.isLone));
  }

  /** The start of the client's response, as it was given it. */
  #startOf({ readers, opener }: ResponsesState): string | undefined {
    const start = (readers[opener] ?? readers[0])?.start;
    return start === undefined ? undefined : this.#restore(start);
  }
}

function isErrorBody(text: string | undefined): boolean {
  return text !== undefined && isJsonObject(parseObject(text)?.error);
}
