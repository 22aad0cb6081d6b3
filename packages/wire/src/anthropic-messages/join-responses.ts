import { type MemberChanges, memberSpan, setMember, splice, valueStart } from '@winnow/core';
import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { RequestView, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/framing.ts';
import { BlockReducer, type BlockState, type ThinkingPlace } from '../joining/block-reducer.ts';
import { hideMentionsAround, type SpokenMembers } from '../joining/hide-mentions.ts';
import { endOfTurn, errorIn, failedBody, joinedUsage, ownError } from '../joining/part-state.ts';
import { type ReadEvent, readData, readEvent } from '../joining/read-event.ts';
import { NOTHING, RoundJoiner, type Step, takeAll } from '../joining/round-joiner.ts';
import { plainCounts, toUsage } from '../joining/rounds-usage.ts';
import { memberOf, memberTexts, parseObject, withMember, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json/json-value.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { anthropic } from '../vendors/anthropic.ts';
import { type RoundBlock, RoundReader } from './read-round.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, keep) => {
  const reducer = new MessageReducer(hiddenNames(plan), keep);
  return new RoundJoiner(reducer, reducer.start(view));
};

/** State of an exchange of messages. The tail of a stream begins with its first `message_delta`. */
export interface MessageState extends BlockState<RoundReader> {
  /** The start that the client received. */
  readonly start: StreamEvent | undefined;
}

/** Joins messages. The states of callers may have additional members. */
export class MessageReducer<State extends MessageState> extends BlockReducer<RoundReader, State> {
  /** Returns the state of an exchange before its first round. */
  start(view: RequestView): MessageState {
    return { ...this.startOf(view, plainCounts(countTokens)), start: undefined };
  }

  protected newReader(thinking: ThinkingPlace): RoundReader {
    return new RoundReader(this.hidden, thinking, this.keep);
  }

  protected progressOf({ reader: { message, isComplete, error } }: State) {
    return { hasBegun: message !== undefined, isComplete, error };
  }

  strayText({ data }: StreamEvent): string | undefined {
    return EVENTS.test(readEvent(data)?.type ?? '') ? undefined : data;
  }

  takeEvent(state: State, event: StreamEvent): Step<State> {
    const shown = withData(event, hideMentions(event.data, this.hidden));
    return this.#pass(state, shown, readEvent(shown.data, 'type', readData(shown)));
  }

  /** Takes a whole response as the events that would stream it, so that a stream may continue with one. */
  takeWhole(state: State, text: string): Step<State> {
    const body = hideMentions(text, this.hidden);
    return this.#passAll({ ...state, body }, eventsOfWhole(body) ?? []);
  }

  isOver({ reader: { isComplete, isOverfull, error } }: State): boolean {
    return isComplete || isOverfull || error !== undefined;
  }

  protected joinTail(state: State): readonly StreamEvent[] {
    const last = state.tail.findLast(isDelta);
    return state.tail
      .filter((event) => event === last || !isDelta(event))
      .map((event) => (event === last ? joinDelta(state, event) : event));
  }

  /** Returns the last response's body, with the first one's id and the visible blocks of all responses. */
  protected joinBody(state: State, content: string): string {
    const { body, readers, reader } = state;
    const id = memberOf(readers[0]!.message ?? '{}', 'id');
    return withMembers(body ?? bodyOfStream(state), {
      content,
      ...(id !== undefined && { id }),
      ...joinedUsage(state, 'usage'),
      ...endOfTurn(reader, 'stop_reason'),
      ...allClearings(state),
    });
  }

  fail(state: State, failure: RoundFailure): readonly WireEvent[] {
    const own = anthropic.errorBody(ownError(failure, this.hidden));
    const body = failure.refusal?.body ?? '';
    const refused = parseObject(body)?.type === 'error' ? errorIn(body) : undefined;
    const sent = failure.reason === 'upstream_error' ? state.reader.error : refused;
    const text = failedBody(state, failure, { own, sent }, this.hidden);
    return [state.isWhole ? { kind: 'whole', text } : { kind: 'event', name: 'error', data: text }];
  }

  #passAll(state: State, parts: readonly ReadEvent[]): Step<State> {
    return takeAll(state, parts, (next, part) => this.#pass(next, toEvent(part), part));
  }

  #pass(state: State, sent: StreamEvent, original: ReadEvent | undefined): Step<State> {
    const read = original && withCallId(original, state.reader.message);
    // Clients identify events only by their names, which some servers leave out.
    const event = original && sent.name === undefined ? { ...toEvent(original), id: sent.id } : sent;
    const parts = read && eventsOfWholeStart(read);
    if (parts !== undefined) return this.#passWholeStart(state, event, parts);
    const block = read && state.reader.observe(read);
    if (read?.type === 'error') return { state, events: NOTHING };
    // The end is held until the body has ended, because only then is it known whether the client may have it.
    const isEnd = read?.type === 'message_delta' || read?.type === 'message_stop';
    if (state.tail.length > 0 || isEnd) {
      return this.holdTail(state, event, read !== undefined && read.type !== 'ping');
    }
    const next = state.hasShown || !shows(read, block) ? state : { ...state, hasShown: true };
    if (read?.type === 'message_start') return this.#passStart(next, event, read.data);
    if (block === undefined) return { state: next, events: [event] };
    const { index } = read!.body;
    return this.passBlock(next, { event, index, block }, (place) => writeBlock(event, read!, block, place));
  }

  /** Passes a message that is complete in its start. The client gets it unchanged if it may see all of it. */
  #passWholeStart(state: State, event: StreamEvent, parts: readonly ReadEvent[]): Step<State> {
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
    const isAmended = start !== undefined && !hasShown;
    if (!isAmended) return { state, events: NOTHING };
    const amendedStart = withData(start, withUsageOf(start.data, data));
    return { state: { ...state, amendedStart }, events: NOTHING };
  }
}

/** Returns the event of a block with its position, and in front of it the input that is missing. */
function writeBlock(event: StreamEvent, read: ReadEvent, block: RoundBlock, place: number) {
  const data = withPlace(read, place);
  // Events from the upstream have a source. The provider itself sends the calls of programs whole.
  const isRepaired = block.isDirectCall || event.source === undefined;
  const isStart = isRepaired && read.type === 'content_block_start';
  const placed = withData(event, isStart ? withEmptyInput(data) : data);
  const isStop = isRepaired && read.type === 'content_block_stop';
  return isStop ? [...missingInput(block, place), placed] : [placed];
}

const EVENTS = /^(?:message|content_block)_|^(?:ping|error)$/;

function isDelta({ data }: StreamEvent): boolean {
  return readEvent(data)?.type === 'message_delta';
}

/** Returns the last `message_delta`, with the usage of all responses. */
function joinDelta(state: MessageState, event: StreamEvent): StreamEvent {
  const { rounds, reader, used } = state;
  const end = endOfTurn(reader, 'stop_reason');
  const ended = withMember(event.data, 'delta', (delta) => withMembers(delta, end));
  if (rounds === 1) return withData(event, ended);
  const data = withMembers(ended, allClearings(state));
  const usage = usageAtEnd(used.shownWith(reader.usage), parseObject(data)?.usage);
  return withData(event, withMembers(data, { usage: JSON.stringify(usage) }));
}

/** Returns the edits of the context in all rounds as a change; no change without any in earlier rounds. */
function allClearings({ readers }: MessageState): MemberChanges {
  const earlier = readers.slice(0, -1).flatMap(({ clearings }) => clearings);
  if (earlier.length === 0) return {};
  const all = [...earlier, ...(readers.at(-1)?.clearings ?? [])];
  return { context_management: `{"applied_edits":[${all.join(',')}]}` };
}

/** Returns the body that the current streamed response would have as a whole one. */
function bodyOfStream({ reader, tail }: MessageState): string {
  const end = tail.findLast(isDelta)?.data ?? '{}';
  const delta = memberOf(end, 'delta') ?? '{}';
  const members = Object.keys(parseObject(delta) ?? {}).map((key) => [key, memberOf(delta, key)] as const);
  return withMembers(reader.message ?? '{}', Object.fromEntries(members));
}

/** Whether the client sees content in an event. An unknown event may show anything. */
function shows(read: ReadEvent | undefined, block: RoundBlock | undefined): boolean {
  if (read === undefined) return true;
  if (block?.isShown === false) return false;
  const { content_block: start, delta } = read.body;
  switch (read.type) {
    case 'message_start':
    case 'content_block_stop':
    case 'ping':
      return false;
    case 'content_block_start':
      return !isJsonObject(start) || !QUIET_STARTS.has(start.type) || Boolean(start.text || start.thinking);
    case 'content_block_delta':
      return isJsonObject(delta) && SPOKEN.some((member) => Boolean(delta[member]));
    default:
      return true;
  }
}

function toEvent({ type, data }: ReadEvent): StreamEvent {
  return { kind: 'event', name: type, data };
}

/** Types of blocks without content at their start: their text follows, or is only for the provider. */
const QUIET_STARTS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking']);

/** Members of a delta that people or programs read; a signature is not one of them. */
const SPOKEN = ['text', 'thinking', 'partial_json', 'citation'] as const;

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
function usageAtEnd(usage: JsonObject | undefined, reported: unknown): JsonObject {
  const isAtEnd = (key: string) => isJsonObject(reported) && key in reported;
  const isOfStart = (key: string, value: unknown) => typeof value === 'string' || key === 'cache_creation';
  const counts = Object.entries(usage ?? {});
  return Object.fromEntries(counts.filter(([key, value]) => !isOfStart(key, value) || isAtEnd(key)));
}

/** Returns an event's data with the `index` that its block has in the client's message. */
export function withPlace({ data, body }: ReadEvent, place: number): string {
  return body.index === place ? data : withMembers(data, { index: String(place) });
}

/** Returns a block's start with an empty input; the caller sends the input as a delta. */
function withEmptyInput(data: string): string {
  return withMember(data, 'content_block', (block) =>
    isFilledObject(memberOf(block, 'input') ?? '') ? withMembers(block, { input: '{}' }) : block,
  );
}

/** Returns arguments that arrived whole as a delta: one client library reads them only from deltas. */
function missingInput({ assembler }: RoundBlock, place: number): StreamEvent[] {
  const input = assembler.hasInputDelta() ? '' : assembler.input();
  if (!isFilledObject(input)) return [];
  const delta = { type: 'input_json_delta', partial_json: input };
  const data = JSON.stringify({ type: 'content_block_delta', index: place, delta });
  return [{ kind: 'event', name: 'content_block_delta', data }];
}

/** Whether a text is the JSON of an object with members. */
function isFilledObject(text: string): boolean {
  return text.startsWith('{') && Object.keys(parseObject(text) ?? {}).length > 0;
}

/**
 * Returns the events that would stream a whole response, each block complete in its start.
 *
 * Undefined when the text is not a message. An error body is one `error` event.
 */
function eventsOfWhole(text: string): ReadEvent[] | undefined {
  const body = parseJson(text);
  if (!isJsonObject(body)) return undefined;
  if (body.type === 'error') return [{ type: 'error', data: text, body }];
  if (body.type !== 'message' || !Array.isArray(body.content)) return undefined;
  const blocks = memberTexts(text, 'content');
  const message = withMembers(text, { content: '[]' });
  const end = { stop_reason: body.stop_reason ?? null, stop_sequence: body.stop_sequence ?? null };
  const parts = [
    `{"type":"message_start","message":${message}}`,
    ...blocks.flatMap((block, index) => [
      `{"type":"content_block_start","index":${index},"content_block":${block}}`,
      `{"type":"content_block_stop","index":${index}}`,
    ]),
    JSON.stringify({
      type: 'message_delta',
      delta: end,
      usage: {},
      context_management: body.context_management,
    }),
    '{"type":"message_stop"}',
  ];
  return parts.flatMap((part) => readEvent(part) ?? []);
}

/**
 * Returns the events of a message that is complete in its start, except the end of the stream, which the
 * provider sends; undefined for any other event. The provider sends such a start for a program that continues
 * without the model after a result.
 */
export function eventsOfWholeStart({ type, data, body }: ReadEvent): ReadEvent[] | undefined {
  const { message } = body;
  const isWhole = type === 'message_start' && isJsonObject(message) && Array.isArray(message.content);
  if (!isWhole || (message.content as readonly unknown[]).length === 0) return undefined;
  return eventsOfWhole(memberOf(data, 'message')!)?.slice(0, -1);
}

/**
 * Returns the event, and adds an id if a call begins in it without one. The client and the provider see the
 * same id; it differs between messages.
 */
function withCallId(event: ReadEvent, message: string | undefined): ReadEvent {
  const { type, data, body } = event;
  const block = body.content_block;
  if (type !== 'content_block_start' || !isJsonObject(block) || block.type !== 'tool_use' || block.id)
    return event;
  const messageId = memberOf(message ?? '{}', 'id') ?? '';
  // The provider rejects ids with other characters when they return.
  const id = JSON.stringify(`toolu_${messageId}_${body.index}`.replaceAll(/[^\w-]/g, ''));
  const span = memberSpan(data, valueStart(data), 'content_block')!;
  return readEvent(splice(data, [setMember(data, span, 'id', id)])) ?? event;
}

/** The members that hold content, by type of event; any other type is all content. */
const CONTENT_MEMBERS: ReadonlyMap<unknown, SpokenMembers> = new Map([
  ['message', { kept: ['content'] }],
  ['message_start', { kept: ['message'], within: ['message', ['content']] }],
  ['message_delta', { kept: ['delta'], within: ['delta', []] }],
]);

/**
 * Returns a whole response, or an event's data, without the members around its content that name a hidden
 * tool. These members echo the request.
 */
function hideMentions(text: string, hidden: HiddenNames): string {
  if (!hidden.areIn(text)) return text;
  const spoken = CONTENT_MEMBERS.get(parseObject(text)?.type);
  return spoken === undefined ? text : hideMentionsAround(text, hidden, spoken);
}

/**
 * Counts the tokens of a usage. Cache reads and cache writes are input too, but the provider counts them
 * separately.
 *
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
export function countTokens(usage: JsonObject): Usage {
  const byLifetime = isJsonObject(usage.cache_creation) ? usage.cache_creation : {};
  return toUsage({
    input: [usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens],
    output: usage.output_tokens,
    cachedInput: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
    longCacheWrite: byLifetime.ephemeral_1h_input_tokens,
  });
}
