import type { AnswerJoiner, RoundEnd, RoundFailure } from '../format.ts';
import {
  isJsonObject,
  type JsonObject,
  membersOf,
  setMember,
  splice,
  textOf,
  valueSpan,
} from '../json-splice.ts';
import { roundFailure } from '../round-failure.ts';
import { type StreamEvent, type WireEvent, writeComment, writeEvent } from '../sse.ts';
import type { Plan, RequestView, Usage } from '../view.ts';
import { type AnswerEvent, eventsOfWhole, memberOf, readAnswerEvent, withCallId } from './answer-events.ts';
import { countTokens } from './count-tokens.ts';
import { errorBody } from './error-body.ts';
import { inputDelta, isFilledObject, withEmptyInput, withPlace } from './place-block.ts';
import { type ResponseWatch, sumUsage, type WatchedBlock, watchResponse } from './watch-response.ts';

/** The joiner for one exchange. Its first answer decides whether the client gets a stream or one body. */
export function joinResponses({ isStream }: RequestView, plan: Plan): AnswerJoiner {
  return new ResponseJoiner(plan.searchTool?.name, isStream);
}

class ResponseJoiner implements AnswerJoiner {
  readonly #searchToolName: string | undefined;
  /** All answers, the current one last. */
  readonly #watches: ResponseWatch[] = [];
  /** The place of each block of the current answer in the client's message. */
  #places = new Map<WatchedBlock, number>();
  #nextPlace = 0;
  #isInRound = false;
  #isWhole: boolean;
  #hasStarted = false;
  /** The last whole body, as it came. */
  #body: string | undefined;
  /** The end of the current answer's stream: everything from its first `message_delta` on. */
  #tail: HeldEvent[] = [];

  constructor(searchToolName: string | undefined, isStream: boolean) {
    this.#searchToolName = searchToolName;
    this.#isWhole = !isStream;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get usage(): Usage | undefined {
    const usage = sumUsage(this.#watches);
    return usage === undefined ? undefined : countTokens(usage);
  }

  feed(event: WireEvent): string {
    if (!this.#isInRound) this.#beginRound(event.kind === 'whole');
    const text = this.#feed(event);
    this.#hasStarted ||= text !== '';
    return text;
  }

  endRound(): RoundEnd {
    // A body without a single event was still a round.
    if (!this.#isInRound) this.#beginRound(this.#isWhole);
    this.#isInRound = false;
    const failed = this.#findFailure();
    if (failed !== undefined) return failed;
    const turn = this.#current.turn();
    if (turn.searches.length > 0 && turn.realCalls.length === 0) return { kind: 'searching', turn };
    return { kind: 'finished', turn, stopReason: this.#current.stopReason };
  }

  finish(): string {
    this.#hasStarted = true;
    return this.#isWhole ? this.#finishWhole() : this.#finishStream();
  }

  fail(failure: RoundFailure): string {
    this.#hasStarted = true;
    const own = errorBody({ status: 502, message: failure.message });
    const sent = failure.reason === 'upstream_error' ? this.#watches.at(-1)?.error : undefined;
    // An error may name what the client must not know of.
    const error = sent === undefined || this.#namesPhantom(sent) ? own : sent;
    if (!this.#isWhole) return writeEvent({ name: 'error', data: error });
    // What is no answer of this format is still what the upstream wanted to say.
    const isStrange = failure.reason === 'malformed_answer' && this.#watches.length === 1;
    return isStrange ? (this.#body ?? own) : error;
  }

  #beginRound(isWhole: boolean): void {
    if (this.#watches.length === 0) this.#isWhole = isWhole;
    this.#isInRound = true;
    this.#watches.push(watchResponse(this.#searchToolName));
    this.#places = new Map();
    this.#tail = [];
    this.#body = undefined;
  }

  #feed(event: WireEvent): string {
    if (event.kind === 'comment') return this.#isWhole ? '' : writeComment(event.text);
    const pieces =
      event.kind === 'event' ? [this.#pass(event, readAnswerEvent(event.data))] : this.#feedWhole(event.text);
    return this.#isWhole ? '' : pieces.join('');
  }

  /** A whole answer goes the way of a streamed one; a stream that goes on with one gets it as events. */
  #feedWhole(text: string): string[] {
    this.#body = text;
    return (eventsOfWhole(text) ?? []).map((read) =>
      this.#pass({ kind: 'event', name: read.type, id: undefined, data: read.data }, read),
    );
  }

  /** What the client gets of an event now. */
  #pass(sent: StreamEvent, original: AnswerEvent | undefined): string {
    const read = original && withCallId(original, this.#current.message);
    // Clients know events by their names only, which some servers leave out.
    const event = { ...sent, name: sent.name ?? read?.type };
    const block = read && this.#current.observe(read);
    // The end is held: whether the client may have it is known when the body has ended.
    if (this.#tail.length > 0 || read?.type === 'message_delta' || read?.type === 'message_stop') {
      if (read?.type !== 'error') this.#tail.push({ event, read });
      return '';
    }
    if (read?.type === 'error') return '';
    if (read?.type === 'message_start') return this.#watches.length === 1 ? writeEvent(event) : '';
    return block === undefined ? writeEvent(event) : this.#passBlock(event, read!, block);
  }

  #passBlock(event: StreamEvent, read: AnswerEvent, block: WatchedBlock): string {
    if (block.isSearch) return '';
    const place = this.#places.get(block) ?? this.#nextPlace++;
    this.#places.set(block, place);
    const data = withPlace(read, place);
    if (read.type === 'content_block_start') return writeEvent({ ...event, data: withEmptyInput(data) });
    return (
      (read.type === 'content_block_stop' ? missingInput(block, place) : '') + writeEvent({ ...event, data })
    );
  }

  #finishStream(): string {
    if (this.#isUntouched) return this.#tail.map(({ event }) => writeEvent(event)).join('');
    const deltas = this.#tail.filter(({ read }) => read?.type === 'message_delta');
    return this.#tail
      .filter((part) => part.read?.type !== 'message_delta' || part === deltas.at(-1))
      .map((part) => writeEvent(part === deltas.at(-1) ? this.#joinDelta(part) : part.event))
      .join('');
  }

  /** The last `message_delta`, with the usage of all answers. */
  #joinDelta({ event, read }: HeldEvent): StreamEvent {
    const { data } = event;
    const edits =
      this.#watches.length === 1 ? [] : [setUsage(data, usageAtEnd(sumUsage(this.#watches), read))];
    const delta = memberOf(data, 'delta');
    if (this.#promisesCall && delta !== undefined)
      edits.push(setMember(data, valueSpan(data), 'delta', endTurn(delta)));
    return { ...event, data: splice(data, edits) };
  }

  #finishWhole(): string {
    const body = this.#body;
    if (body !== undefined && this.#isUntouched) return body;
    const joined = this.#joinBody(body ?? this.#bodyOfStream());
    return this.#promisesCall ? endTurn(joined) : joined;
  }

  /** The last answer's body, with the first one's id, and everything that any answer said to the client. */
  #joinBody(body: string): string {
    const id = memberOf(this.#watches[0]!.message ?? '{}', 'id');
    const blocks = this.#watches.flatMap((watch) => watch.visibleBlocks());
    const usage = this.#watches.length === 1 ? undefined : sumUsage(this.#watches);
    return splice(body, [
      setMember(body, valueSpan(body), 'content', `[${blocks.join(',')}]`),
      ...(id === undefined ? [] : [setMember(body, valueSpan(body), 'id', id)]),
      ...(usage === undefined ? [] : [setUsage(body, usage)]),
    ]);
  }

  /** What would have been the body, had the current answer not been streamed. */
  #bodyOfStream(): string {
    const message = this.#current.message ?? '{}';
    const end = this.#tail.findLast(({ read }) => read?.type === 'message_delta')?.event.data ?? '{}';
    const delta = memberOf(end, 'delta') ?? '{}';
    const members = membersOf(delta, valueSpan(delta).start).map(
      ({ key, value }) => [key, textOf(delta, value)] as const,
    );
    const edits = [...new Map(members)].map(([key, json]) =>
      setMember(message, valueSpan(message), key, json),
    );
    return splice(message, edits);
  }

  #findFailure(): RoundFailure | undefined {
    const { error, heldTooMuch, isComplete, message } = this.#current;
    if (error !== undefined) return roundFailure('upstream_error');
    if (heldTooMuch) return roundFailure('held_too_much');
    if (isComplete) return undefined;
    return roundFailure(this.#body !== undefined && message === undefined ? 'malformed_answer' : 'truncated');
  }

  get #current(): ResponseWatch {
    return this.#watches.at(-1)!;
  }

  /** Whether the client gets what the upstream sent. */
  get #isUntouched(): boolean {
    return this.#watches.length === 1 && !this.#current.hasSearch;
  }

  /** Whether the last answer ends for the sake of a call that the client does not see. */
  get #promisesCall(): boolean {
    const { hasSearch, stopReason } = this.#current;
    return hasSearch && stopReason === 'tool_use' && this.#current.turn().realCalls.length === 0;
  }

  #namesPhantom(text: string): boolean {
    return this.#searchToolName !== undefined && text.includes(this.#searchToolName);
  }
}

/** Arguments that came whole go out as a delta: one client library reads them from nowhere else. */
function missingInput({ assembler }: WatchedBlock, place: number): string {
  const input = assembler.hasInputDelta ? '' : assembler.input();
  return isFilledObject(input) ? writeEvent(inputDelta(place, input)) : '';
}

interface HeldEvent {
  readonly event: StreamEvent;
  readonly read: AnswerEvent | undefined;
}

/** `object` is a `delta`, or a whole message: both have the reason as a member. */
function endTurn(object: string): string {
  return splice(object, [setMember(object, valueSpan(object), 'stop_reason', '"end_turn"')]);
}

function setUsage(object: string, usage: JsonObject) {
  return setMember(object, valueSpan(object), 'usage', JSON.stringify(usage));
}

/** Names, such as the service tier, are reported with the start of a message, and at its end only where they were. */
function usageAtEnd(usage: JsonObject | undefined, end: AnswerEvent | undefined): JsonObject {
  const reported = end?.body.usage;
  const isAtEnd = (key: string) => isJsonObject(reported) && key in reported;
  const counts = Object.entries(usage ?? {});
  return Object.fromEntries(counts.filter(([key, value]) => typeof value !== 'string' || isAtEnd(key)));
}
