import type { ResponseJoiner, RoundEnd, RoundFailure, RoundNotices } from '../format/response-joiner.ts';
import type { Plan, RequestView, Turn, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { type Keep, keepUpTo } from '../joining/keep.ts';
import { roundFailure } from '../joining/round-failure.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import { memberOf, withMember } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { elementTexts } from '../turns/runs.ts';
import type { StoredRound } from '../turns/stored-by-id.ts';
import { openai } from '../vendors/openai.ts';
import { countTokens } from './count-tokens.ts';
import { failedResponse, NO_RESPONSE } from './failed-response.ts';
import { joinBodies } from './join-bodies.ts';
import { asDeclared, withDeclaredItem, withPlace } from './place-item.ts';
import { readNotices } from './read-notices.ts';
import { ENDS, eventsOfWhole, type ResponseEvent, readResponseEvent, STARTS } from './response-events.ts';
import { type RestoreEcho, restoreEcho } from './restore-echo.ts';
import { type RoundItem, RoundReader, sumUsage } from './round-reader.ts';
import { type ItemKinds, itemKinds } from './search-items.ts';
import { shows } from './shows.ts';

/** The joiner for one exchange. Its first response decides whether the client gets a stream or one body. */
export function joinResponses(
  view: RequestView,
  plan: Plan,
  usageShown: UsageShown = 'last',
  keep?: Keep,
): ResponseJoiner {
  return new ResponsesJoiner(view, plan, usageShown, keep);
}

const NOTHING: readonly WireEvent[] = [];

/** Characters of what is held at the end of a stream: one response, and what servers may add. */
const TAIL_CHARS = 48 * 1024 * 1024;

/** What an event takes beside its text, as characters. */
const EVENT_CHARS = 500;

/** Ends that say nothing of a fault. */
const GOOD_ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);

/**
 * Steps of an event: 1. the reader keeps what it says; 2. what ends the response is held; 3. a later round's start and every search are swallowed;
 * 4. the rest gets its place in the client's response, and an echo of the request what the client wrote.
 */
class ResponsesJoiner implements ResponseJoiner {
  hasStarted = false;
  hasShown = false;
  readonly #kinds: ItemKinds;
  readonly #restore: RestoreEcho;
  readonly #hidden: HiddenNames;
  readonly #usageShown: UsageShown;
  readonly #keep: Keep | undefined;
  /** Whether the provider keeps the responses, so that the client may go on from the last one. */
  readonly #isStored: boolean;
  /** All responses, the current one last. */
  readonly #readers: RoundReader[] = [];
  /** The place of each item in the client's response. */
  readonly #places = new Map<RoundItem, number>();
  #nextPlace = 0;
  #sequence = 0;
  /** Whether an item of this exchange was hidden, so that the upstream's numbers are no longer the client's. */
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
    this.#kinds = itemKinds(view, plan);
    this.#restore = restoreEcho(view, plan);
    this.#hidden = hiddenNames(plan);
    this.#usageShown = usageShown;
    this.#isStored = view.body.store !== false;
    this.#isWhole = !view.isStream;
  }

  get isRoundOver(): boolean {
    return this.#isInRound && (this.#current.end !== undefined || this.#current.isOverfull);
  }

  get usage(): Usage | undefined {
    const usage = sumUsage(this.#readers);
    return usage && countTokens(usage);
  }

  get notices(): RoundNotices | undefined {
    const response = this.#readers.at(-1)?.end?.body.response;
    return isJsonObject(response) ? readNotices(response) : undefined;
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
    return { kind: 'finished', turn, stopReason: this.#current.stopReason };
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
    this.#sequence = this.#before.sequence;
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
    this.#sequence = 0;
    this.#nextPlace = 0;
    this.#places.clear();
    this.#before = this.#standing;
  }

  get #standing() {
    return {
      readers: this.#readers.length,
      nextPlace: this.#nextPlace,
      sequence: this.#sequence,
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
    const body = this.#body ?? memberOf(this.#current.end?.data ?? '{}', 'response') ?? '{}';
    return [{ kind: 'whole', text: this.#finishBody(body) }];
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    this.hasStarted = true;
    const { refusal, reason, message } = failure;
    const status = refusal?.status ?? 502;
    const own = openai.errorBody({ status, message });
    if (this.#isWhole) {
      const sent = isErrorBody(refusal?.body) ? refusal!.body : own;
      const isStrange = reason === 'malformed_answer' && this.#readers.length === 1;
      const text = isStrange ? (this.#body ?? own) : sent;
      return [{ kind: 'whole', text: this.#namesSearchTool(text) ? own : text }];
    }
    // A client takes no end of a response that has not begun: the head of this one was sent by a heartbeat, and each start taken back.
    const begun = this.#hasBegun ? [] : [this.#writeStart()];
    const again = [...begun, ...this.#open()];
    const held = reason === 'upstream_error' ? this.#tail.map((one) => this.#finishEvent(one)) : [];
    const sent = held.some(({ data }) => this.#namesSearchTool(data)) ? [] : held;
    // A client that reads to the end of a response does not take a bare error for one.
    if (this.#current?.end?.type === 'response.failed' && sent.length > 0) return [...again, ...sent];
    const error = sent.length > 0 ? this.#current!.error!.data : refusal?.body;
    const response = failedResponse(this.#first, error, message, this.#hidden);
    const data = `{"type":"response.failed","sequence_number":${this.#sequence},"response":${response}}`;
    return [...again, ...sent, { kind: 'event', name: 'response.failed', data }];
  }

  #writeStart(): StreamEvent {
    const response = this.#first ?? NO_RESPONSE;
    const data = `{"type":"response.created","sequence_number":${this.#sequence++},"response":${response}}`;
    this.#hasBegun = true;
    return { kind: 'event', name: 'response.created', data };
  }

  #beginRound(isWhole: boolean): void {
    if (this.#readers.length === 0) this.#isWhole = isWhole;
    this.#isInRound = true;
    this.#readers.push(new RoundReader(this.#kinds, this.#keep));
    this.#tail = [];
    this.#keepTail = this.#keep ?? keepUpTo(TAIL_CHARS);
    this.#hasLostTail = false;
    this.#body = undefined;
  }

  #feed(event: WireEvent): readonly WireEvent[] {
    if (event.kind === 'comment') return this.#isWhole ? NOTHING : [event];
    if (event.kind === 'event') {
      const events = this.#pass(event, readResponseEvent(event.data));
      return this.#isWhole ? NOTHING : events;
    }
    this.#body = event.text;
    if (this.#isWhole) {
      if (this.#current.takeWhole(event.text)) this.#hasHidden ||= this.#current.hasSearch;
      return NOTHING;
    }
    const events = (eventsOfWhole(event.text) ?? []).flatMap((read) =>
      this.#pass({ kind: 'event', name: read.type, data: read.data }, read),
    );
    return events;
  }

  /** What the client gets of an event now. */
  #pass(event: StreamEvent, read: ResponseEvent | undefined): readonly WireEvent[] {
    const item = read && this.#current.observe(read);
    if (this.#tail.length > 0 || (read !== undefined && (ENDS.has(read.type) || read.type === 'error'))) {
      return this.#holdTail(event, read);
    }
    if (read === undefined) return this.#namesSearchTool(event.data) ? NOTHING : [event];
    if (STARTS.has(read.type)) {
      if (!this.#isOpening) return NOTHING;
      this.#hasBegun = true;
      return [this.#place(event, read)];
    }
    const again = this.#open();
    if (item?.isSearch) {
      this.#hasHidden = true;
      return again;
    }
    // What cannot be kept to be said again must not be taken back.
    this.hasShown ||= shows(read, item) || !this.#keepTail(event.data.length + EVENT_CHARS);
    if (this.hasShown) this.#unshown = [];
    else this.#unshown.push({ event, read, item });
    return [...again, this.#place(event, read, item)];
  }

  /** Whether the current round begins the client's response. */
  get #isOpening(): boolean {
    return this.#readers.length === this.#opener + 1 && !this.#isOpen;
  }

  /** What stands behind the beginning of a response that was begun anew: what earlier rounds have said, and nobody has seen. */
  #open(): readonly StreamEvent[] {
    if (this.#isOpen) return [];
    this.#isOpen = true;
    return this.#unshown.map(({ event, read, item }) => this.#place(event, read, item));
  }

  #holdTail(event: StreamEvent, read: ResponseEvent | undefined): readonly WireEvent[] {
    if (!this.#hasLostTail && this.#keepTail(event.data.length + EVENT_CHARS)) {
      this.#tail.push({ event, read });
      return NOTHING;
    }
    // The end of a response of which nothing was hidden waits for nothing.
    const mayPass =
      this.#isUntouched && this.#tail.length === 0 && read !== undefined && GOOD_ENDS.has(read.type);
    if (mayPass) return [...this.#open(), this.#finishEvent({ event, read })];
    this.#hasLostTail = true;
    return NOTHING;
  }

  /** The event with its numbers in the client's response. */
  #place(event: StreamEvent, read: ResponseEvent, item?: RoundItem): StreamEvent {
    const isAsSent = this.#readers.length === 1 && !this.#hasHidden;
    const { sequence_number: number, output_index: given } = read.body;
    const sequence = isAsSent && typeof number === 'number' ? number : this.#sequence;
    if (typeof number === 'number') this.#sequence = sequence + 1;
    const index = item && this.#placeOf(item, isAsSent && typeof given === 'number' ? given : undefined);
    const placed = withPlace(read, { sequence, index });
    const known = withDeclaredItem(placed, read.body.item, this.#kinds.isLone);
    const restored = isJsonObject(read.body.response) ? withMember(known, 'response', this.#restore) : known;
    return withData(event, restored);
  }

  #placeOf(item: RoundItem, given: number | undefined): number {
    const place = this.#places.get(item) ?? given ?? this.#nextPlace;
    this.#nextPlace = Math.max(this.#nextPlace, place + 1);
    this.#places.set(item, place);
    return place;
  }

  /** An event of the end: of several rounds' responses one is made. */
  #finishEvent({ event, read }: TailEvent): StreamEvent {
    if (read === undefined) return event;
    const placed = this.#place(event, read);
    if (!isJsonObject(read.body.response)) return placed;
    return withData(
      event,
      withMember(placed.data, 'response', (body) => this.#finishBody(body)),
    );
  }

  #finishBody(body: string): string {
    if (!this.#isUntouched) return this.#joinBody(body);
    const restored = this.#restore(body);
    if (!restored.includes('"namespace"')) return restored;
    return withMember(restored, 'output', (output) => {
      const items = elementTexts(output);
      const known = items.map((item) => asDeclared(item, parseJson(item), this.#kinds.isLone));
      return known.every((item, at) => item === items[at]) ? output : `[${known.join(',')}]`;
    });
  }

  /** The last response's body, with what all of them said. */
  #joinBody(body: string): string {
    const hasFailed = this.#current.end?.type === 'response.failed';
    return joinBodies(this.#restore(body), {
      readers: this.#readers,
      opener: this.#readers[this.#opener],
      // A stream has given out the first one's id.
      isLastId: this.#isWhole && this.#isStored,
      items: hasFailed ? undefined : this.#visibleItems(),
      usage: this.#readers.length === 1 ? undefined : this.#shownUsage,
    });
  }

  #visibleItems(): string[] {
    return this.#readers
      .flatMap((reader) => reader.visibleItems())
      .map((item) => asDeclared(item, parseJson(item), this.#kinds.isLone));
  }

  #findFailure(): RoundFailure | undefined {
    const { end, error, heldTooMuch, start } = this.#current;
    if (end?.type === 'response.failed' && !this.#isWhole) return roundFailure('upstream_error');
    if (end === undefined && error !== undefined) return roundFailure('upstream_error');
    if (heldTooMuch || this.#hasLostTail) return roundFailure('held_too_much');
    if (end !== undefined) return undefined;
    if (this.#body === undefined || start !== undefined) return roundFailure('truncated');
    // JSON of another shape is passed on as it is; what is no JSON may have been cut.
    const isFirst = this.#isWhole && this.#readers.length === 1 && !this.#namesSearchTool(this.#body);
    return isFirst && parseJson(this.#body) !== undefined ? undefined : roundFailure('malformed_answer');
  }

  get #shownUsage(): JsonObject | undefined {
    const reported: JsonObject[] = this.#readers.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
    return reported.length === 0
      ? undefined
      : reported.reduce((earlier, later) => shownCounts(earlier, later, this.#usageShown));
  }

  get #current(): RoundReader {
    return this.#readers.at(-1)!;
  }

  /** The start of the client's response, as it was given it. */
  get #first(): string | undefined {
    const start = (this.#readers[this.#opener] ?? this.#readers[0])?.start;
    return start === undefined ? undefined : this.#restore(start);
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
  readonly read: ResponseEvent;
  readonly item: RoundItem | undefined;
}

interface TailEvent {
  readonly event: StreamEvent;
  readonly read: ResponseEvent | undefined;
}

function isErrorBody(text: string | undefined): boolean {
  const body = text === undefined ? undefined : parseJson(text);
  return isJsonObject(body) && isJsonObject(body.error);
}
