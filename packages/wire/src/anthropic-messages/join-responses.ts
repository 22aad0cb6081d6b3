import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { RequestView } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { BlockReducer, type BlockState, TAIL_EVENTS } from '../joining/block-reducer.ts';
import type { Keep } from '../joining/keep.ts';
import { isNumberedAsSent, isUntouched, placeOf, promisesCall } from '../joining/part-state.ts';
import { NOTHING, RoundJoiner, type Step, takeAll } from '../joining/round-joiner.ts';
import { plainCounts } from '../joining/rounds-usage.ts';
import type { UsageShown } from '../joining/shown-counts.ts';
import { memberOf, parseObject, withMember, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { anthropic } from '../vendors/anthropic.ts';
import { countTokens } from './count-tokens.ts';
import { hideMentions } from './hide-mentions.ts';
import { missingInput, withEmptyInput, withPlace } from './place-block.ts';
import {
  eventsOfWhole,
  eventsOfWholeStart,
  type ResponseEvent,
  readResponseEvent,
  withCallId,
} from './response-events.ts';
import { type RoundBlock, type RoundReader, readRound } from './round-reader.ts';

/**
 * Creates the joiner for one exchange. Its first response decides whether the client gets a stream or one
 * body.
 */
export const joinResponses: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  const reducer = new MessageReducer(hiddenNames(plan), usageShown, keep);
  return new RoundJoiner(reducer, reducer.start(view));
};

/** State of an exchange of messages. The tail of a stream begins with its first `message_delta`. */
export interface MessageState extends BlockState<TailEvent, RoundReader> {
  /** The start that the client received. */
  readonly start: StreamEvent | undefined;
}

interface TailEvent {
  readonly event: StreamEvent;
  readonly read: ResponseEvent | undefined;
}

/** Joins messages. The states of callers may have additional members. */
export class MessageReducer<State extends MessageState> extends BlockReducer<TailEvent, RoundReader, State> {
  readonly #usageShown: UsageShown;

  constructor(hidden: HiddenNames, usageShown: UsageShown, keep: Keep | undefined) {
    super(hidden, keep);
    this.#usageShown = usageShown;
  }

  /** Returns the state of an exchange before its first round. */
  start(view: RequestView): MessageState {
    return { ...this.startOf(view, plainCounts(countTokens), this.#usageShown), start: undefined };
  }

  protected newReader(): RoundReader {
    return readRound(this.hidden, this.keep);
  }

  protected progressOf({ reader: { message, isComplete, error } }: State) {
    return { hasBegun: message !== undefined, isComplete, hasFailed: error !== undefined };
  }

  takeEvent(state: State, event: StreamEvent): Step<State> {
    const data = hideMentions(event.data, this.hidden);
    return this.#pass(state, withData(event, data), readResponseEvent(data));
  }

  /** Takes a whole response as the events that would stream it, so that a stream may continue with one. */
  takeWhole(state: State, text: string): Step<State> {
    const body = hideMentions(text, this.hidden);
    return this.#passAll({ ...state, body }, eventsOfWhole(body) ?? []);
  }

  isOver({ reader: { isComplete, isOverfull, error } }: State): boolean {
    return isComplete || isOverfull || error !== undefined;
  }

  protected finishWhole(state: State): string {
    return finishWhole(state);
  }

  protected finishStream(state: State): readonly StreamEvent[] {
    return finishStream(state);
  }

  fail({ reader, isWhole, rounds, body }: State, failure: RoundFailure): readonly WireEvent[] {
    const status = failure.refusal?.status ?? 502;
    const message = failure.refusal ? `The upstream answered with status ${status}.` : failure.message;
    const own = anthropic.errorBody({ status, message });
    const sent = failure.reason === 'upstream_error' ? reader.error : errorIn(failure.refusal);
    // An error may name a hidden tool.
    const error = sent === undefined || this.hidden.areIn(sent) ? own : sent;
    if (!isWhole) return [{ kind: 'event', name: 'error', data: error }];
    // A first body that is not a response of this format is passed on unchanged.
    const isStrange = failure.reason === 'malformed_answer' && rounds === 1;
    return [{ kind: 'whole', text: isStrange ? (body ?? own) : error }];
  }

  #passAll(state: State, parts: readonly ResponseEvent[]): Step<State> {
    return takeAll(state, parts, (next, part) =>
      this.#pass(next, { kind: 'event', name: part.type, data: part.data }, part),
    );
  }

  #pass(state: State, sent: StreamEvent, original: ResponseEvent | undefined): Step<State> {
    const read = original && withCallId(original, state.reader.message);
    // Clients identify events only by their names, which some servers leave out.
    const isNamed = sent.name !== undefined || read === undefined;
    const event: StreamEvent = isNamed
      ? sent
      : { kind: 'event', name: read.type, id: sent.id, data: sent.data };
    const parts = read && eventsOfWholeStart(read);
    if (parts !== undefined) return this.#passWholeStart(state, event, parts);
    const block = read && state.reader.observe(read);
    if (read?.type === 'error') return { state, events: NOTHING };
    // The end is held until the body has ended, because only then is it known whether the client may have it.
    if (state.tail.length > 0 || read?.type === 'message_delta' || read?.type === 'message_stop') {
      return this.#holdTail(state, { event, read });
    }
    const next = state.hasShown || !shows(read, block) ? state : { ...state, hasShown: true };
    if (read?.type === 'message_start') return this.#passStart(next, event, read.data);
    return block === undefined ? { state: next, events: [event] } : passBlock(next, event, read!, block);
  }

  /** Passes a message that is complete in its start. The client gets it unchanged if it may see all of it. */
  #passWholeStart(state: State, event: StreamEvent, parts: readonly ResponseEvent[]): Step<State> {
    const { reader } = state;
    if (state.rounds > 1 || parts.some((part) => reader.isSearchStart(part)))
      return this.#passAll(state, parts);
    for (const part of parts) reader.observe(part);
    return { state, events: [event] };
  }

  /**
   * Passes the start of the first response only, amended with the usage of the first response that shows
   * content.
   */
  #passStart(state: State, event: StreamEvent, data: string): Step<State> {
    const { start, hasShown } = state;
    if (state.rounds === 1) return { state: { ...state, start: event }, events: [event] };
    const isAmended = start !== undefined && !hasShown && this.#usageShown === 'last';
    if (!isAmended) return { state, events: NOTHING };
    const amendedStart = withData(start, withUsageOf(start.data, data));
    return { state: { ...state, amendedStart }, events: NOTHING };
  }

  /** Holds an event of the end. Heartbeats pass once more events are held than any real end has. */
  #holdTail(state: State, held: TailEvent): Step<State> {
    const { event, read } = held;
    const isPassed = (read?.type === 'ping' || read === undefined) && state.tail.length >= TAIL_EVENTS;
    const step = this.holdTail(state, held, event, !isPassed);
    return isPassed ? { ...step, events: [event] } : step;
  }
}

function passBlock<State extends MessageState>(
  state: State,
  event: StreamEvent,
  read: ResponseEvent,
  block: RoundBlock,
): Step<State> {
  if (block.isSearch) return { state: { ...state, hasHidden: true }, events: NOTHING };
  if (isNumberedAsSent(state) && typeof read.body.index !== 'number') return { state, events: [event] };
  const place = placeOf(state, block, read.body.index);
  const data = withPlace(read, place);
  // Events from the upstream have a source. The provider itself sends the calls of programs whole.
  const isRepaired = block.isDirectCall || event.source === undefined;
  const isStart = isRepaired && read.type === 'content_block_start';
  const placed = withData(event, isStart ? withEmptyInput(data) : data);
  const isStop = isRepaired && read.type === 'content_block_stop';
  return { state, events: isStop ? [...missingInput(block, place), placed] : [placed] };
}

function finishStream(state: MessageState): readonly StreamEvent[] {
  const { tail } = state;
  if (isUntouched(state)) return tail.map(({ event }) => event);
  const last = tail.findLast(({ read }) => read?.type === 'message_delta');
  return tail
    .filter((part) => part.read?.type !== 'message_delta' || part === last)
    .map((part) => (part === last ? joinDelta(state, part) : part.event));
}

/** Returns the last `message_delta`, with the usage of all responses. */
function joinDelta(state: MessageState, { event, read }: TailEvent): StreamEvent {
  const { rounds, reader, used } = state;
  const delta = promisesCall(reader) ? memberOf(event.data, 'delta') : undefined;
  const usage = rounds === 1 ? undefined : usageAtEnd(used.shownWith(reader.usage), read);
  const changes = {
    ...(usage !== undefined && { usage: JSON.stringify(usage) }),
    ...(delta !== undefined && { delta: endTurn(delta) }),
  };
  return withData(event, withMembers(event.data, changes));
}

/** Returns the last response's body, with the first one's id and the visible blocks of all responses. */
function finishWhole(state: MessageState): string {
  const { body, readers, rounds, reader, used } = state;
  if (body !== undefined && isUntouched(state)) return body;
  const id = memberOf(readers[0]!.message ?? '{}', 'id');
  const blocks = readers.flatMap((one) => one.visibleBlocks());
  const usage = rounds === 1 ? undefined : used.shownWith(reader.usage);
  const joined = withMembers(body ?? bodyOfStream(state), {
    content: `[${blocks.join(',')}]`,
    ...(id !== undefined && { id }),
    ...(usage !== undefined && { usage: JSON.stringify(usage) }),
  });
  return promisesCall(reader) ? endTurn(joined) : joined;
}

/** Returns the body that the current streamed response would have as a whole one. */
function bodyOfStream({ reader, tail }: MessageState): string {
  const end = tail.findLast(({ read }) => read?.type === 'message_delta')?.event.data ?? '{}';
  const delta = memberOf(end, 'delta') ?? '{}';
  const members = Object.keys(parseObject(delta) ?? {}).map((key) => [key, memberOf(delta, key)] as const);
  return withMembers(reader.message ?? '{}', Object.fromEntries(members));
}

/** Whether the client sees content in an event. An unknown event may show anything. */
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

/** Types of blocks without content at their start: their text follows, or is only for the provider. */
const QUIET_STARTS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking']);

/** Members of a delta that people or programs read; a signature is not one of them. */
const SPOKEN = ['text', 'thinking', 'partial_json', 'citation'] as const;

/** Returns the original error of a refusal if it has the format's shape. */
function errorIn(refusal: RoundFailure['refusal']): string | undefined {
  const body = refusal && parseObject(refusal.body);
  return body?.type === 'error' && isJsonObject(body.error) ? refusal!.body : undefined;
}

/** Ends a turn. `object` is a `delta` or a whole message; both have the stop reason as a member. */
function endTurn(object: string): string {
  return withMembers(object, { stop_reason: '"end_turn"' });
}

/** Returns a `message_start` with the usage of another one. */
function withUsageOf(start: string, other: string): string {
  const usage = memberOf(memberOf(other, 'message') ?? '{}', 'usage');
  return usage === undefined ? start : withMember(start, 'message', (text) => withMembers(text, { usage }));
}

/**
 * Returns the usage for the end of a message. Texts, such as the service tier, are reported at the start, and
 * at the end only if the provider does so. The breakdown of cache writes is never reported at the end, and
 * the one at the start is out of date if the provider ran tools.
 */
function usageAtEnd(usage: JsonObject | undefined, end: ResponseEvent | undefined): JsonObject {
  const reported = end?.body.usage;
  const isAtEnd = (key: string) => isJsonObject(reported) && key in reported;
  const isOfStart = (key: string, value: unknown) => typeof value === 'string' || key === 'cache_creation';
  const counts = Object.entries(usage ?? {});
  return Object.fromEntries(counts.filter(([key, value]) => !isOfStart(key, value) || isAtEnd(key)));
}
