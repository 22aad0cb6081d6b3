import type { ResponseJoiner, RoundEnd, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import type { Keep } from '../joining/keep.ts';
import { roundFailure } from '../joining/round-failure.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import {
  changeMembers,
  isJsonObject,
  type JsonObject,
  memberSpan,
  membersOf,
  setMember,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { anthropic } from '../vendors/anthropic.ts';
import { countTokens } from './count-tokens.ts';
import { hideMentions } from './hide-mentions.ts';
import { inputDelta, isFilledObject, withEmptyInput, withPlace } from './place-block.ts';
import {
  eventsOfWhole,
  eventsOfWholeStart,
  memberOf,
  type ResponseEvent,
  readResponseEvent,
  withCallId,
} from './response-events.ts';
import { type RoundBlock, type RoundReader, readRound, sumUsage } from './round-reader.ts';

/** The joiner for one exchange. Its first response decides whether the client gets a stream or one body. */
export function joinResponses(
  { isStream }: RequestView,
  plan: Plan,
  usageShown: UsageShown = 'last',
  keep?: Keep,
): ResponseJoiner {
  return new MessageJoiner({ hidden: hiddenNames(plan), isStream, usageShown, keep });
}

interface JoinerOptions {
  readonly hidden: HiddenNames;
  readonly isStream: boolean;
  readonly usageShown: UsageShown;
  readonly keep: Keep | undefined;
}

const NOTHING: readonly WireEvent[] = [];

/** Events at the end of a stream that are held; real ones have two, and a ping now and then. */
const TAIL_EVENTS = 16;
/** Characters of them: a stop reason, usage, and what providers may add. */
const TAIL_CHARS = 1024 * 1024;

class MessageJoiner implements ResponseJoiner {
  readonly #hidden: HiddenNames;
  readonly #usageShown: UsageShown;
  readonly #keep: Keep | undefined;
  /** All responses, the current one last. */
  readonly #readers: RoundReader[] = [];
  /** The place of each block of the current response in the client's message. */
  #places = new Map<RoundBlock, number>();
  #nextPlace = 0;
  /** Whether a block of this exchange was hidden, so that the upstream's indexes are no longer the client's. */
  #hasHidden = false;
  #isInRound = false;
  /** Responses that ended well, and what they have left. */
  #before = { readers: 0, nextPlace: 0, hasShown: false, hasHidden: false };
  #hasShown = false;
  #isWhole: boolean;
  #hasStarted = false;
  /** The start that the client was given. */
  #start: StreamEvent | undefined;
  amendedStart: StreamEvent | undefined;
  /** The last whole body, as it came. */
  #body: string | undefined;
  /** The end of the current response's stream: everything from its first `message_delta` on. */
  #tail: TailEvent[] = [];
  #tailChars = 0;

  constructor({ hidden, isStream, usageShown, keep }: JoinerOptions) {
    this.#keep = keep;
    this.#usageShown = usageShown;
    this.#hidden = hidden;
    this.#isWhole = !isStream;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get hasShown(): boolean {
    return this.#hasShown;
  }

  get isRoundOver(): boolean {
    if (!this.#isInRound) return false;
    const { isComplete, isOverfull, error } = this.#current;
    return isComplete || isOverfull || error !== undefined;
  }

  get usage(): Usage | undefined {
    const usage = sumUsage(this.#readers);
    return usage === undefined ? undefined : countTokens(usage);
  }

  feed(event: WireEvent): readonly WireEvent[] {
    if (!this.#isInRound) this.#beginRound(event.kind === 'whole');
    const events = this.#feed(event);
    this.#hasStarted ||= events.length > 0;
    return events;
  }

  endRound(): RoundEnd {
    // A body without a single event was still a round.
    if (!this.#isInRound) this.#beginRound(this.#isWhole);
    this.#isInRound = false;
    const failed = this.#findFailure();
    if (failed !== undefined) return failed;
    this.#before = {
      readers: this.#readers.length,
      nextPlace: this.#nextPlace,
      hasShown: this.#hasShown,
      hasHidden: this.#hasHidden,
    };
    const turn = this.#current.turn();
    if (turn.searches.length > 0 && turn.realCalls.length === 0) return { kind: 'searching', turn };
    return { kind: 'finished', turn, stopReason: this.#current.stopReason };
  }

  abandonRound(): void {
    this.#readers.length = this.#before.readers;
    this.#nextPlace = this.#before.nextPlace;
    this.#hasShown = this.#before.hasShown;
    this.#hasHidden = this.#before.hasHidden;
    this.#tail = [];
    this.#isInRound = false;
  }

  finish(): readonly WireEvent[] {
    this.#hasStarted = true;
    return this.#isWhole ? [{ kind: 'whole', text: this.#finishWhole() }] : this.#finishStream();
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    this.#hasStarted = true;
    const status = failure.refusal?.status ?? 502;
    const message = failure.refusal ? `The upstream answered with status ${status}.` : failure.message;
    const own = anthropic.errorBody({ status, message });
    const sent = failure.reason === 'upstream_error' ? this.#readers.at(-1)?.error : errorIn(failure.refusal);
    // An error may name what the client must not know of.
    const error = sent === undefined || this.#namesSearchTool(sent) ? own : sent;
    if (!this.#isWhole) return [{ kind: 'event', name: 'error', data: error }];
    // What is no response of this format is still what the upstream wanted to say.
    const isStrange = failure.reason === 'malformed_answer' && this.#readers.length === 1;
    return [{ kind: 'whole', text: isStrange ? (this.#body ?? own) : error }];
  }

  #beginRound(isWhole: boolean): void {
    if (this.#readers.length === 0) this.#isWhole = isWhole;
    this.#isInRound = true;
    this.#readers.push(readRound(this.#hidden, this.#keep));
    this.#places = new Map();
    this.#tail = [];
    this.#tailChars = 0;
    this.#body = undefined;
  }

  #feed(event: WireEvent): readonly WireEvent[] {
    if (event.kind === 'comment') return this.#isWhole ? NOTHING : [event];
    const events =
      event.kind === 'event'
        ? this.#feedStreamed(event)
        : this.#feedWhole(hideMentions(event.text, this.#hidden));
    return this.#isWhole ? NOTHING : events;
  }

  #feedStreamed(event: StreamEvent): readonly WireEvent[] {
    const data = hideMentions(event.data, this.#hidden);
    return this.#pass(data === event.data ? event : withData(event, data), readResponseEvent(data));
  }

  /** A whole response goes the way of a streamed one; a stream that goes on with one gets it as events. */
  #feedWhole(text: string): readonly WireEvent[] {
    this.#body = text;
    return (eventsOfWhole(text) ?? []).flatMap((read) =>
      this.#pass({ kind: 'event', name: read.type, data: read.data }, read),
    );
  }

  /** What a message that is complete in its start says. The client gets it as it came, where it may see all of it. */
  #passWholeStart(event: StreamEvent, parts: readonly ResponseEvent[]): readonly WireEvent[] {
    const isFirst = this.#readers.length === 1;
    if (isFirst && !parts.some((part) => this.#current.isSearchStart(part))) {
      for (const part of parts) this.#current.observe(part);
      return [event];
    }
    return parts.flatMap((part) => this.#pass({ kind: 'event', name: part.type, data: part.data }, part));
  }

  /** What the client gets of an event now. */
  #pass(sent: StreamEvent, original: ResponseEvent | undefined): readonly WireEvent[] {
    const read = original && withCallId(original, this.#current.message);
    // Clients know events by their names only, which some servers leave out.
    const isNamed = sent.name !== undefined || read === undefined;
    const event: StreamEvent = isNamed
      ? sent
      : { kind: 'event', name: read.type, id: sent.id, data: sent.data };
    const parts = read && eventsOfWholeStart(read);
    if (parts !== undefined) return this.#passWholeStart(event, parts);
    const block = read && this.#current.observe(read);
    // The end is held: whether the client may have it is known when the body has ended.
    if (this.#tail.length > 0 || read?.type === 'message_delta' || read?.type === 'message_stop') {
      return read?.type === 'error' ? NOTHING : this.#holdTail(event, read);
    }
    if (read?.type === 'error') return NOTHING;
    this.#hasShown ||= shows(read, block);
    if (read?.type === 'message_start') return this.#passStart(event, read.data);
    return block === undefined ? [event] : this.#passBlock(event, read!, block);
  }

  /** The client gets one start: that of the first response, with the usage of the first one that shows something. */
  #passStart(event: StreamEvent, data: string): readonly WireEvent[] {
    if (this.#readers.length > 1) {
      const isAmended = this.#start !== undefined && !this.#hasShown && this.#usageShown === 'last';
      if (isAmended) this.amendedStart = withData(this.#start!, withUsageOf(this.#start!.data, data));
      return NOTHING;
    }
    this.#start = event;
    return [event];
  }

  /** Holds an event of the end; what only keeps the line alive passes once more is held than an end ever takes. */
  #holdTail(event: StreamEvent, read: ResponseEvent | undefined): readonly WireEvent[] {
    const isSignOfLife = read?.type === 'ping' || read === undefined;
    this.#tailChars += event.data.length;
    if (isSignOfLife && this.#tail.length >= TAIL_EVENTS) return [event];
    if (this.#tailChars <= TAIL_CHARS) this.#tail.push({ event, read });
    return NOTHING;
  }

  #passBlock(event: StreamEvent, read: ResponseEvent, block: RoundBlock): readonly WireEvent[] {
    if (block.isSearch) {
      this.#hasHidden = true;
      return NOTHING;
    }
    const isAsSent = this.#readers.length === 1 && !this.#hasHidden;
    if (isAsSent && typeof read.body.index !== 'number') return [event];
    const place = this.#placeOf(block, read);
    const data = withPlace(read, place);
    // Events that came have their source. Calls of programs come whole at the provider itself.
    const isRepaired = block.isDirectCall || event.source === undefined;
    if (!isRepaired) return [withData(event, data)];
    if (read.type === 'content_block_start') return [withData(event, withEmptyInput(data))];
    const placed = withData(event, data);
    return read.type === 'content_block_stop' ? [...missingInput(block, place), placed] : [placed];
  }

  #placeOf(block: RoundBlock, { body }: ResponseEvent): number {
    const isAsSent = this.#readers.length === 1 && !this.#hasHidden && typeof body.index === 'number';
    const place = this.#places.get(block) ?? (isAsSent ? (body.index as number) : this.#nextPlace);
    this.#nextPlace = Math.max(this.#nextPlace, place + 1);
    this.#places.set(block, place);
    return place;
  }

  #finishStream(): readonly WireEvent[] {
    if (this.#isUntouched) return this.#tail.map(({ event }) => event);
    const deltas = this.#tail.filter(({ read }) => read?.type === 'message_delta');
    return this.#tail
      .filter((part) => part.read?.type !== 'message_delta' || part === deltas.at(-1))
      .map((part) => (part === deltas.at(-1) ? this.#joinDelta(part) : part.event));
  }

  /** The last `message_delta`, with the usage of all responses. */
  #joinDelta({ event, read }: TailEvent): StreamEvent {
    const { data } = event;
    const edits = this.#readers.length === 1 ? [] : [setUsage(data, usageAtEnd(this.#shownUsage, read))];
    const delta = memberOf(data, 'delta');
    if (this.#promisesCall && delta !== undefined)
      edits.push(setMember(data, valueSpan(data), 'delta', endTurn(delta)));
    return withData(event, splice(data, edits));
  }

  #finishWhole(): string {
    const body = this.#body;
    if (body !== undefined && this.#isUntouched) return body;
    const joined = this.#joinBody(body ?? this.#bodyOfStream());
    return this.#promisesCall ? endTurn(joined) : joined;
  }

  /** The last response's body, with the first one's id, and everything that any response said to the client. */
  #joinBody(body: string): string {
    const id = memberOf(this.#readers[0]!.message ?? '{}', 'id');
    const blocks = this.#readers.flatMap((reader) => reader.visibleBlocks());
    const usage = this.#readers.length === 1 ? undefined : this.#shownUsage;
    const changes = {
      content: `[${blocks.join(',')}]`,
      ...(id !== undefined && { id }),
      ...(usage !== undefined && { usage: JSON.stringify(usage) }),
    };
    return splice(body, changeMembers(body, valueSpan(body), changes));
  }

  /** What would have been the body, had the current response not been streamed. */
  #bodyOfStream(): string {
    const message = this.#current.message ?? '{}';
    const end = this.#tail.findLast(({ read }) => read?.type === 'message_delta')?.event.data ?? '{}';
    const delta = memberOf(end, 'delta') ?? '{}';
    const members = membersOf(delta, valueStart(delta)).map(
      ({ key, value }) => [key, textOf(delta, value)] as const,
    );
    return splice(message, changeMembers(message, valueSpan(message), Object.fromEntries(members)));
  }

  #findFailure(): RoundFailure | undefined {
    const { error, heldTooMuch, isComplete, message } = this.#current;
    if (error !== undefined) return roundFailure('upstream_error');
    if (heldTooMuch || this.#tailChars > TAIL_CHARS) return roundFailure('held_too_much');
    if (isComplete) return undefined;
    if (this.#body === undefined || message !== undefined) return roundFailure('truncated');
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

  /** Whether the client gets what the upstream sent. */
  get #isUntouched(): boolean {
    return this.#readers.length === 1 && !this.#current.hasSearch;
  }

  /** Whether the last response ends for the sake of a call that the client does not see. */
  get #promisesCall(): boolean {
    const { hasSearch, stopReason } = this.#current;
    return hasSearch && stopReason === 'tool_use' && this.#current.turn().realCalls.length === 0;
  }

  #namesSearchTool(text: string): boolean {
    return this.#hidden.areIn(text);
  }
}

/** Whether the client sees anything of an event that is not part of a stream's start or end. An event that nobody knows may show anything. */
function shows(read: ResponseEvent | undefined, block: RoundBlock | undefined): boolean {
  if (read === undefined) return true;
  if (block?.isSearch) return false;
  const { content_block: start, delta } = read.body;
  switch (read.type) {
    case 'message_start':
    case 'content_block_stop':
    case 'ping':
      return false;
    case 'content_block_start':
      return !isJsonObject(start) || !QUIET_STARTS.has(start.type) || Boolean(start.text || start.thinking);
    case 'content_block_delta':
      return (
        isJsonObject(delta) && SPOKEN.some((member) => delta[member] !== undefined && delta[member] !== '')
      );
    default:
      return true;
  }
}

/** Blocks that say nothing at their start: their text follows, or is for the provider alone. */
const QUIET_STARTS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking']);

/** Members of a delta that people or programs read; a signature is none. */
const SPOKEN = ['text', 'thinking', 'partial_json', 'citation'] as const;

/** The error of a refusal as it came, where it has the format's shape. */
function errorIn(refusal: RoundFailure['refusal']): string | undefined {
  const body = refusal === undefined ? undefined : parseJson(refusal.body);
  return isJsonObject(body) && body.type === 'error' && isJsonObject(body.error) ? refusal!.body : undefined;
}

/** Arguments that came whole go out as a delta: one client library reads them from nowhere else. */
function missingInput({ assembler }: RoundBlock, place: number): StreamEvent[] {
  const input = assembler.hasInputDelta ? '' : assembler.input();
  return isFilledObject(input) ? [inputDelta(place, input)] : [];
}

interface TailEvent {
  readonly event: StreamEvent;
  readonly read: ResponseEvent | undefined;
}

/** `object` is a `delta`, or a whole message: both have the reason as a member. */
function endTurn(object: string): string {
  return splice(object, [setMember(object, valueSpan(object), 'stop_reason', '"end_turn"')]);
}

/** A `message_start` with the usage that another one reports. */
function withUsageOf(start: string, other: string): string {
  const usage = memberOf(memberOf(other, 'message') ?? '{}', 'usage');
  const message = memberSpan(start, valueStart(start), 'message');
  if (usage === undefined || message === undefined) return start;
  return splice(start, [setMember(start, message, 'usage', usage)]);
}

function setUsage(object: string, usage: JsonObject) {
  return setMember(object, valueSpan(object), 'usage', JSON.stringify(usage));
}

/**
 * Names, such as the service tier, are reported with the start of a message, and at its end only where they were. What is written to the cache,
 * and for how long, is never reported at the end: when the provider ran tools, what the start said of it is old.
 */
function usageAtEnd(usage: JsonObject | undefined, end: ResponseEvent | undefined): JsonObject {
  const reported = end?.body.usage;
  const isAtEnd = (key: string) => isJsonObject(reported) && key in reported;
  const isOfStart = (key: string, value: unknown) => typeof value === 'string' || key === 'cache_creation';
  const counts = Object.entries(usage ?? {});
  return Object.fromEntries(counts.filter(([key, value]) => !isOfStart(key, value) || isAtEnd(key)));
}
