import type { ResponseJoiner, RoundEnd, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView, Turn, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { type Keep, keepUpTo } from '../joining/keep.ts';
import { roundFailure } from '../joining/round-failure.ts';
import type { UsageShown } from '../joining/shown-counts.ts';
import { memberOf, withMember, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import type { StoredRound } from '../turns/stored-by-id.ts';
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
export function joinResponses(
  view: RequestView,
  plan: Plan,
  usageShown: UsageShown = 'last',
  keep?: Keep,
): ResponseJoiner {
  return new InteractionsJoiner(view, plan, usageShown, keep);
}

const NOTHING: readonly WireEvent[] = [];

/** Characters of what is held at the end of a stream: one interaction, and what servers may add. */
const TAIL_CHARS = 48 * 1024 * 1024;

/** What an event takes beside its text, as characters. */
const EVENT_CHARS = 500;

/**
 * Steps of an event: 1. the reader keeps what it says; 2. every search is swallowed; 3. what ends the interaction is held; 4. a later round's start is
 * swallowed; 5. the rest gets its place in the client's response.
 */
class InteractionsJoiner implements ResponseJoiner {
  hasStarted = false;
  hasShown = false;
  readonly #restore: RestoreEcho;
  readonly #hidden: HiddenNames;
  readonly #usageShown: UsageShown;
  readonly #keep: Keep | undefined;
  /** Whether the provider keeps the interactions, so that the client may go on from the last one. */
  readonly #isStored: boolean;
  /** All responses, the current one last. */
  readonly #readers: RoundReader[] = [];
  /** The place of each step in the client's response. */
  readonly #places = new Map<RoundStep, number>();
  #nextPlace = 0;
  /** Whether a step of this exchange was hidden, so that the upstream's numbers are no longer the client's. */
  #hasHidden = false;
  #isInRound = false;
  /** The round by which the client's response began, and what is to be said again behind that beginning. */
  #opener = 0;
  #isOpen = false;
  /** Whether that beginning has been given out. */
  #hasBegun = false;
  #unshown: PassedEvent[] = [];
  /** What the rounds that ended well have left. */
  #before = { ...this.#standing };
  #isWhole: boolean;
  /** The last whole body, as it came. */
  #body: string | undefined;
  /** What came from the current response's end, or its error, on. */
  #tail: TailEvent[] = [];
  #keepTail: Keep;
  #hasLostTail = false;

  constructor(view: RequestView, plan: Plan, usageShown: UsageShown, keep: Keep | undefined) {
    this.#keep = keep;
    this.#keepTail = keep ?? keepUpTo(TAIL_CHARS);
    this.#restore = restoreEcho(view, plan);
    this.#hidden = hiddenNames(plan);
    this.#usageShown = usageShown;
    this.#isStored = view.body.store !== false;
    this.#isWhole = !view.isStream;
  }

  get isRoundOver(): boolean {
    return this.#isInRound && (this.#current.isDone || this.#current.isOverfull);
  }

  get usage(): Usage | undefined {
    const reported = this.#readers.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
    return reported.length === 0 ? undefined : countTokens(reported.reduce(sumUsage));
  }

  feed(event: WireEvent): readonly WireEvent[] {
    if (!this.#isInRound) this.#beginRound(event.kind === 'whole');
    const events = this.#feed(event);
    this.hasStarted ||= events.length > 0;
    return events;
  }

  endRound(): RoundEnd {
    // A body without a single event was still a round.
    if (!this.#isInRound) this.#beginRound(this.#isWhole);
    this.#isInRound = false;
    const failed = this.#findFailure();
    if (failed !== undefined) return failed;
    this.#before = this.#standing;
    const turn = this.#turn();
    if (turn.searches.length > 0 && turn.realCalls.length === 0) return { kind: 'searching', turn };
    const status = statusOf(this.#current) === undefined ? this.#current.status : 'completed';
    return { kind: 'finished', turn, stopReason: status };
  }

  /** What was said, and by which ids later requests may name it. */
  #turn(): Turn {
    const turn = this.#current.turn();
    const { id } = this.#current;
    const given = this.#isWhole && this.#isStored ? id : this.#readers[this.#opener]!.id;
    if (id === undefined || given === undefined) return turn;
    return { ...turn, state: { id, given } satisfies StoredRound };
  }

  abandonRound(): void {
    this.#readers.length = this.#before.readers;
    this.#nextPlace = this.#before.nextPlace;
    this.hasShown = this.#before.hasShown;
    this.#hasHidden = this.#before.hasHidden;
    this.#opener = this.#before.opener;
    this.#isOpen = this.#before.isOpen;
    this.#hasBegun = this.#before.hasBegun;
    this.#unshown = [...this.#before.unshown];
    this.#tail = [];
    this.#isInRound = false;
  }

  retractStart(): void {
    if (this.#isWhole || this.hasShown) return;
    this.#opener = this.#readers.length;
    this.#isOpen = false;
    this.#hasBegun = false;
    this.hasStarted = false;
    this.#nextPlace = 0;
    this.#places.clear();
    this.#before = this.#standing;
  }

  get #standing() {
    return {
      readers: this.#readers.length,
      nextPlace: this.#nextPlace,
      hasShown: this.hasShown,
      hasHidden: this.#hasHidden,
      opener: this.#opener,
      isOpen: this.#isOpen,
      hasBegun: this.#hasBegun,
      unshown: [...this.#unshown],
    };
  }

  finish(): readonly WireEvent[] {
    this.hasStarted = true;
    if (!this.#isWhole) return [...this.#open(), ...this.#tail.map((held) => this.#finishEvent(held))];
    if (this.#body !== undefined) return [{ kind: 'whole', text: this.#finishBody(this.#body) }];
    const streamed = memberOf(this.#current.end?.data ?? '{}', 'interaction') ?? '{}';
    return [{ kind: 'whole', text: this.#joinBody(streamed) }];
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    this.hasStarted = true;
    const { refusal, reason, message } = failure;
    const status = refusal?.status ?? 502;
    if (this.#isWhole) {
      const own = JSON.stringify({ error: errorOf(status, message) });
      const sent = errorIn(refusal?.body) === undefined ? own : refusal!.body;
      const isStrange = reason === 'malformed_answer' && this.#readers.length === 1;
      const text = isStrange ? (this.#body ?? own) : sent;
      return [{ kind: 'whole', text: this.#namesSearchTool(text) ? own : text }];
    }
    // A client takes no end of an interaction that has not begun: the head of this one was sent by a heartbeat, and each start taken back.
    const begun = this.#hasBegun ? [] : this.#writeStart();
    const held = reason === 'upstream_error' ? this.#tail.map((one) => this.#finishEvent(one)) : [];
    if (held.length > 0 && !held.some(({ data }) => this.#namesSearchTool(data))) {
      return [...begun, ...this.#open(), ...held];
    }
    const given = errorIn(refusal?.body);
    const isOurs = given === undefined || this.#namesSearchTool(refusal!.body);
    const error = isOurs ? errorOf(status, message) : given;
    const data = JSON.stringify({ error, event_type: 'error' });
    return [...begun, ...this.#open(), { kind: 'event', name: 'error', data }];
  }

  /** The beginning that was taken back; nothing where the upstream has not even sent one. */
  #writeStart(): readonly StreamEvent[] {
    this.#hasBegun = true;
    const first = (this.#readers[this.#opener] ?? this.#readers[0])?.start;
    if (first === undefined) return [];
    const data = `{"interaction":${this.#restore(first)},"event_type":"${START}"}`;
    return [{ kind: 'event', name: START, data }];
  }

  #beginRound(isWhole: boolean): void {
    if (this.#readers.length === 0) this.#isWhole = isWhole;
    this.#isInRound = true;
    this.#readers.push(new RoundReader(this.#hidden, this.#keep));
    this.#tail = [];
    this.#keepTail = this.#keep ?? keepUpTo(TAIL_CHARS);
    this.#hasLostTail = false;
    this.#body = undefined;
  }

  #feed(event: WireEvent): readonly WireEvent[] {
    if (event.kind === 'comment') return this.#isWhole ? NOTHING : [event];
    if (event.kind === 'event') {
      const events = this.#pass(event, readStepEvent(event.data));
      return this.#isWhole ? NOTHING : events;
    }
    this.#body = event.text;
    if (this.#isWhole) {
      if (this.#current.takeWhole(event.text)) this.#hasHidden ||= this.#current.hasSearch;
      return NOTHING;
    }
    return (eventsOfWhole(event.text) ?? []).flatMap((read) =>
      this.#pass({ kind: 'event', name: read.type, data: read.data }, read),
    );
  }

  /** What the client gets of an event now. */
  #pass(event: StreamEvent, read: StepEvent | undefined): readonly WireEvent[] {
    const step = read && this.#current.observe(read);
    this.#current.isDone ||= isDone(event.data);
    if (step?.isSearch) {
      this.#hasHidden = true;
      return this.#open();
    }
    const isEnd = read === undefined ? isDone(event.data) : isTail(read);
    if (this.#tail.length > 0 || isEnd) return this.#holdTail({ event, read });
    if (read === undefined) return this.#namesSearchTool(event.data) ? NOTHING : [event];
    if (read.type === START || read.type === 'interaction.status_update') {
      if (this.#readers.length > this.#opener + 1 || (read.type === START && this.#isOpen)) return NOTHING;
      this.#hasBegun ||= read.type === START;
      return [this.#place(event, read)];
    }
    const again = this.#open();
    // What cannot be kept to be said again must not be taken back.
    this.hasShown ||= shows(read) || !this.#keepTail(event.data.length + EVENT_CHARS);
    if (this.hasShown) this.#unshown = [];
    else this.#unshown.push({ event, read, step });
    return [...again, this.#place(event, read, step)];
  }

  /** What stands behind the beginning of a response that was begun anew: what earlier rounds have said, and nobody has seen. */
  #open(): readonly StreamEvent[] {
    if (this.#isOpen) return [];
    this.#isOpen = true;
    return this.#unshown.map(({ event, read, step }) => this.#place(event, read, step));
  }

  #holdTail(held: TailEvent): readonly WireEvent[] {
    if (!this.#hasLostTail && this.#keepTail(held.event.data.length + EVENT_CHARS)) {
      this.#tail.push(held);
      return NOTHING;
    }
    // The end of a response of which nothing was hidden waits for nothing.
    const { end, error } = this.#current;
    const isGoodSoFar = error === undefined && interactionOf(end).status !== 'failed';
    const mayPass = this.#isUntouched && this.#tail.length === 0 && !this.#hasLostTail && isGoodSoFar;
    if (mayPass) return [...this.#open(), this.#finishEvent(held)];
    this.#hasLostTail = true;
    return NOTHING;
  }

  /** The event with its numbers in the client's response. */
  #place(event: StreamEvent, read: StepEvent, step?: RoundStep): StreamEvent {
    const isAsSent = this.#readers.length === 1 && !this.#hasHidden;
    const given = isAsSent && typeof read.body.index === 'number' ? read.body.index : undefined;
    const index = step && this.#placeOf(step, given);
    const id = this.#readers[this.#opener]?.id;
    const placed = isAsSent
      ? read.data
      : withPlace(read, {
          index,
          id: id === undefined ? undefined : JSON.stringify(id),
          showUsage: (usage) => this.#showRunning(usage),
        });
    return withData(
      event,
      isJsonObject(read.body.interaction) ? withMember(placed, 'interaction', this.#restore) : placed,
    );
  }

  #placeOf(step: RoundStep, given: number | undefined): number {
    const place = this.#places.get(step) ?? given ?? this.#nextPlace;
    this.#nextPlace = Math.max(this.#nextPlace, place + 1);
    this.#places.set(step, place);
    return place;
  }

  /** An event of the end: of several rounds' interactions one is made. */
  #finishEvent({ event, read }: TailEvent): StreamEvent {
    if (read === undefined) return event;
    const placed = this.#place(event, read);
    if (read.type === END) {
      return withData(
        event,
        withMember(placed.data, 'interaction', (body) => this.#finishBody(body)),
      );
    }
    const status = endsSoon(read) && !this.#isUntouched ? statusOf(this.#current) : undefined;
    return status === undefined ? placed : withData(placed, withMembers(placed.data, { status }));
  }

  #finishBody(body: string): string {
    return this.#isUntouched ? this.#restore(body) : this.#joinBody(body);
  }

  /** The last response's interaction, with what all of them said. */
  #joinBody(body: string): string {
    const isFailed = this.#current.status === 'failed';
    // A stream's end mostly leaves out what was said.
    const hasSteps = this.#isWhole || (memberOf(body, 'steps') ?? '[]') !== '[]';
    return joinBodies(this.#restore(body), {
      readers: this.#readers,
      opener: this.#readers[this.#opener],
      // A stream has given out the first one's id.
      isLastId: this.#isWhole && this.#isStored,
      steps: isFailed || !hasSteps ? undefined : this.#readers.flatMap((reader) => reader.visibleSteps()),
      usage: this.#readers.length === 1 ? undefined : this.#shownUsage(this.#readers),
    });
  }

  #findFailure(): RoundFailure | undefined {
    const { end, error, heldTooMuch, start, status } = this.#current;
    if (status === 'failed' && !this.#isWhole) return roundFailure('upstream_error');
    if (end === undefined && error !== undefined) return roundFailure('upstream_error');
    if (heldTooMuch || this.#hasLostTail) return roundFailure('held_too_much');
    if (end !== undefined) return undefined;
    if (this.#body === undefined || start !== undefined) return roundFailure('truncated');
    // JSON of another shape is passed on as it is; what is no JSON may have been cut.
    const isFirst = this.#isWhole && this.#readers.length === 1 && !this.#namesSearchTool(this.#body);
    return isFirst && parseJson(this.#body) !== undefined ? undefined : roundFailure('malformed_answer');
  }

  #shownUsage(readers: readonly RoundReader[]): JsonObject | undefined {
    const reported = readers.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
    if (reported.length === 0) return undefined;
    return reported.reduce((earlier, later) => showUsage(earlier, later, this.#usageShown));
  }

  /** Usage so far, as JSON, with that of the rounds before. */
  #showRunning(usage: string): string {
    const before = this.#shownUsage(this.#readers.slice(0, -1));
    const own = parseJson(usage);
    if (before === undefined || !isJsonObject(own)) return usage;
    return JSON.stringify(showUsage(before, own, this.#usageShown));
  }

  get #current(): RoundReader {
    return this.#readers.at(-1)!;
  }

  /** Whether the client gets what the upstream sent, the echo of its request apart. */
  get #isUntouched(): boolean {
    return this.#readers.length === 1 && !this.#current.hasSearch;
  }

  #namesSearchTool(text: string): boolean {
    return this.#hidden.areIn(text);
  }
}

/** An event that the client was given, before it had its numbers. */
interface PassedEvent {
  readonly event: StreamEvent;
  readonly read: StepEvent;
  readonly step: RoundStep | undefined;
}

interface TailEvent {
  readonly event: StreamEvent;
  readonly read: StepEvent | undefined;
}

/** Whether an event ends a response, or tells that it is about to, as any may that is about the whole of it. */
function isTail(read: StepEvent): boolean {
  const isStrange = /^interaction\.(?!created$|status_update$)/.test(read.type);
  return isStrange || read.type === 'error' || endsSoon(read);
}
