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
import type { CountRules, RoundsUsage } from '../joining/rounds-usage.ts';
import { memberOf, parseObject, withMember, withMembers } from '../json/json-members.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { joinBodies, statusOf } from './join-bodies.ts';
import { withPlace } from './place-event.ts';
import { type RestoreEcho, restoreEcho } from './restore-echo.ts';
import { RoundReader, type RoundStep } from './round-reader.ts';
import { shows } from './shows.ts';
import {
  END,
  endsSoon,
  eventsOfWhole,
  interactionOf,
  isDone,
  readStepEvent,
  START,
  type StepEvent,
} from './step-events.ts';
import { countTokens, showUsage, sumUsage } from './usage.ts';
import { errorIn, errorOf } from './write-error.ts';

/** The joiner for one exchange. Its first response decides whether the client gets a stream or one body. */
export const joinResponses: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  return new RoundJoiner<InteractionsState>(new InteractionsReducer(view, plan, keep), {
    ...startOfExchange(view, COUNT_RULES, usageShown),
    ...startOfEnvelopes(new RoundReader(hiddenNames(plan), keep)),
  });
};

const COUNT_RULES: CountRules = { toUsage: countTokens, sum: sumUsage, show: showUsage };

type HeldEvent = ReadEvent<StepEvent | undefined>;
type PassedEvent = ReadEvent<StepEvent, RoundStep>;
type InteractionsState = EnvelopeState<RoundReader, HeldEvent, PassedEvent>;

/**
 * Steps of an event: 1. the reader keeps it; 2. every search is dropped; 3. the end of the interaction is held; 4. a later round's start is dropped;
 * 5. the rest gets its place in the client's response.
 */
class InteractionsReducer implements RoundReducer<InteractionsState> {
  readonly #restore: RestoreEcho;
  readonly #hidden: HiddenNames;
  readonly #keep: Keep | undefined;
  /** Whether the provider keeps the interactions, so that the client may go on from the last one. */
  readonly #isStored: boolean;

  constructor(view: RequestView, plan: Plan, keep: Keep | undefined) {
    this.#restore = restoreEcho(view, plan);
    this.#hidden = hiddenNames(plan);
    this.#keep = keep;
    this.#isStored = view.body.store !== false;
  }

  begin(left: InteractionsState): InteractionsState {
    return beginEnvelope(left, new RoundReader(this.#hidden, this.#keep), this.#keep);
  }

  takeEvent(state: InteractionsState, event: StreamEvent): Step<InteractionsState> {
    return this.#pass(state, event, readStepEvent(event.data));
  }

  takeWhole(state: InteractionsState, body: string): Step<InteractionsState> {
    return takeWholeBody(state, body, eventsOfWhole, this.#pass);
  }

  isOver({ reader }: InteractionsState): boolean {
    return reader.isDone || reader.isOverfull;
  }

  end(state: InteractionsState): EndedRound<InteractionsState> | RoundFailure {
    const { reader } = state;
    const failure = envelopeFailure(state, reader.status === 'failed', this.#hidden);
    const stopReason = statusOf(reader) === undefined ? reader.status : 'completed';
    return failure ?? { kind: 'ended', state, turn: storedTurn(state, this.#isStored), stopReason };
  }

  retractStart(state: InteractionsState): InteractionsState | undefined {
    return retractEnvelope(state);
  }

  finish(state: InteractionsState): readonly WireEvent[] {
    const { isWhole, body, reader } = state;
    if (!isWhole) return andThen(open(state, this.#place), this.#finishTail).events;
    if (body !== undefined) return [{ kind: 'whole', text: this.#finishBody(state, body) }];
    const streamed = memberOf(reader.end?.data ?? '{}', 'interaction') ?? '{}';
    return [{ kind: 'whole', text: this.#joinBody(state, streamed) }];
  }

  fail(state: InteractionsState, failure: RoundFailure): readonly WireEvent[] {
    const { refusal, reason, message } = failure;
    const hidden = this.#hidden;
    const given = errorIn(refusal?.body);
    const ownError = errorOf(refusal?.status ?? 502, message);
    if (state.isWhole) {
      const own = JSON.stringify({ error: ownError });
      return failWhole(state, failure, { sent: given && refusal!.body, own, hidden });
    }
    const begun = state.hasBegun ? NOTHING : this.#writeStart(state);
    const { state: opened, events } = open(state, this.#place);
    const again = [...begun, ...events];
    const held = reason === 'upstream_error' ? this.#finishTail(opened).events : NOTHING;
    const isShown = held.length > 0 && !held.some((event) => hidden.areIn((event as StreamEvent).data));
    if (isShown) return [...again, ...held];
    const error = given === undefined || hidden.areIn(refusal!.body) ? ownError : given;
    const data = JSON.stringify({ error, event_type: 'error' });
    return [...again, { kind: 'event', name: 'error', data }];
  }

  /**
   * The beginning that was taken back; nothing where the upstream has not even sent one. A client takes no end of an interaction that has not begun:
   * the head of this one was sent by a heartbeat.
   */
  #writeStart({ readers, opener }: InteractionsState): readonly StreamEvent[] {
    const first = (readers[opener] ?? readers[0])?.start;
    if (first === undefined) return [];
    const data = `{"interaction":${this.#restore(first)},"event_type":"${START}"}`;
    return [{ kind: 'event', name: START, data }];
  }

  readonly #pass = (
    state: InteractionsState,
    event: StreamEvent,
    read: StepEvent | undefined,
  ): Step<InteractionsState> => {
    const { reader } = state;
    const part = read && reader.observe(read);
    reader.isDone ||= isDone(event.data);
    if (part?.isSearch) return open({ ...state, hasHidden: true }, this.#place);
    const isEnd = read === undefined ? isDone(event.data) : isTail(read);
    if (state.tail.length > 0 || isEnd) {
      const isGoodSoFar = reader.error === undefined && interactionOf(reader.end).status !== 'failed';
      return holdTail(state, { event, read }, isGoodSoFar && !state.hasLostTail, this.#finish);
    }
    if (read === undefined) return { state, events: this.#hidden.areIn(event.data) ? NOTHING : [event] };
    if (read.type !== START && read.type !== 'interaction.status_update') {
      return giveOut<PassedEvent, InteractionsState>(state, { event, read, part }, shows(read), this.#place);
    }
    const isStart = read.type === START;
    const isLate = state.rounds > state.opener + 1 || (isStart && state.isOpen);
    if (isLate) return { state, events: NOTHING };
    return this.#place(isStart ? { ...state, hasBegun: true } : state, { event, read });
  };

  /** The event with its numbers in the client's response. */
  readonly #place = (
    state: InteractionsState,
    { event, read, part }: PassedEvent,
  ): Step<InteractionsState> => {
    const index = part && placeOf(state, part, read.body.index);
    const id = state.readers[state.opener]?.id;
    const placed = isNumberedAsSent(state)
      ? read.data
      : withPlace(read, {
          index,
          id: id === undefined ? undefined : JSON.stringify(id),
          showUsage: (usage) => showRunning(state.used, usage),
        });
    const isEnvelope = isJsonObject(read.body.interaction);
    const restored = isEnvelope ? withMember(placed, 'interaction', this.#restore) : placed;
    return { state, events: [withData(event, restored)] };
  };

  readonly #finishTail = (state: InteractionsState): Step<InteractionsState> =>
    takeAll(state, state.tail, (next, held) => this.#finishEvent(next, held));

  readonly #finish = (state: InteractionsState, held: HeldEvent): Step<InteractionsState> =>
    andThen(open(state, this.#place), (next) => this.#finishEvent(next, held));

  /** An event of the end: of several rounds' interactions one is made. */
  #finishEvent(state: InteractionsState, { event, read }: HeldEvent): Step<InteractionsState> {
    if (read === undefined) return { state, events: [event] };
    const [placed] = this.#place(state, { event, read }).events as readonly [StreamEvent];
    const status = endsSoon(read) && !isUntouched(state) ? statusOf(state.reader) : undefined;
    const finished =
      read.type === END
        ? withMember(placed.data, 'interaction', (body) => this.#finishBody(state, body))
        : withMembers(placed.data, status === undefined ? {} : { status });
    return { state, events: [withData(read.type === END ? event : placed, finished)] };
  }

  #finishBody(state: InteractionsState, body: string): string {
    return isUntouched(state) ? this.#restore(body) : this.#joinBody(state, body);
  }

  /** The last response's interaction, with what all of them said. */
  #joinBody({ readers, reader, opener, isWhole, rounds, used }: InteractionsState, body: string): string {
    // A stream's end mostly leaves out what was said.
    const hasSteps = isWhole || (memberOf(body, 'steps') ?? '[]') !== '[]';
    const isLeft = reader.status === 'failed' || !hasSteps;
    return joinBodies(this.#restore(body), {
      readers,
      opener: readers[opener],
      // A stream has given out the first one's id.
      isLastId: isWhole && this.#isStored,
      steps: isLeft ? undefined : readers.flatMap((one) => one.visibleSteps()),
      usage: rounds === 1 ? undefined : used.shownWith(reader.usage),
    });
  }
}

/** Usage so far, as JSON, with that of the rounds before. */
function showRunning(used: RoundsUsage, usage: string): string {
  const own = parseObject(usage);
  return used.shown === undefined || own === undefined ? usage : JSON.stringify(used.shownWith(own));
}

/** Whether an event ends a response, or tells that it is about to, as any may that is about the whole of it. */
function isTail(read: StepEvent): boolean {
  const isStrange = /^interaction\.(?!created$|status_update$)/.test(read.type);
  return isStrange || read.type === 'error' || endsSoon(read);
}
