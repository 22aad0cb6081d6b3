import type { ResponseJoiner, RoundEnd, RoundFailure } from '../../format/response-joiner.ts';
import type { SearchCall, SearchResult, Usage } from '../../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../../framing/wire-event.ts';
import {
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  setMember,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from '../../json/json-splice.ts';
import { parseJson } from '../../json/parse-json.ts';
import { withPlace } from '../place-block.ts';
import { isToolUse, readBlocks } from '../read-blocks.ts';
import { eventsOfWholeStart, memberOf, type ResponseEvent, readResponseEvent } from '../response-events.ts';
import { isHostedCall, isHostedName, readCall } from './hosted-tools.ts';
import { serverId, writeServerCall, writeServerResult } from './search-blocks.ts';

/**
 * A joiner whose client sees searches as the vendor's own: each response of an upstream that knows only functions is written as one of the
 * vendor's, which begins with the results of the searches before it, and then joined by `inner`, which hides nothing.
 *
 * A response that only searches and is not gone on with ends in `pause_turn`, as the vendor's does.
 *
 * @param results of searches that the history left open: they begin the first response.
 * @param taken ids of hosted searches in the history. Some servers give the same ids in each response.
 */
export function joinSearches(
  inner: ResponseJoiner,
  results: readonly SearchResult[],
  taken: Iterable<string>,
): ResponseJoiner {
  return new SearchJoiner(inner, results, taken);
}

/** Reasons that leave the last call unfinished, or all of them without effect. */
const CUT_OFF: ReadonlySet<unknown> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'stop_sequence',
  'refusal',
]);

class SearchJoiner implements ResponseJoiner {
  readonly #inner: ResponseJoiner;
  /** How often each id was given. */
  readonly #ids: Map<string, number>;
  /** Results, as blocks, that the current round begins with. */
  #results: readonly string[];
  #round = newRound();

  constructor(inner: ResponseJoiner, results: readonly SearchResult[], taken: Iterable<string>) {
    this.#inner = inner;
    this.#results = results.map(writeServerResult);
    this.#ids = new Map([...taken].map((id) => [id, 1]));
  }

  get hasStarted(): boolean {
    return this.#inner.hasStarted;
  }

  get hasShown(): boolean {
    return this.#inner.hasShown;
  }

  get usage(): Usage | undefined {
    return this.#inner.usage;
  }

  get isRoundOver(): boolean {
    return this.#inner.isRoundOver;
  }

  get amendedStart(): StreamEvent | undefined {
    return this.#inner.amendedStart;
  }

  feed(event: WireEvent): readonly WireEvent[] {
    return this.#toVendors(event).flatMap((one) => this.#inner.feed(one));
  }

  takeResults(results: readonly SearchResult[]): void {
    this.#results = results.map(writeServerResult);
  }

  endRound(): RoundEnd {
    const { stopReason, callsClient } = this.#round;
    this.#round = newRound();
    const end = this.#inner.endRound();
    // What is asked for again begins with the same results.
    if (end.kind === 'failed') return end;
    this.#results = [];
    const searches = callsClient || CUT_OFF.has(stopReason) ? [] : searchesOf(end.turn.message);
    return searches.length > 0 ? { kind: 'searching', turn: { ...end.turn, searches } } : end;
  }

  abandonRound(): void {
    this.#round = newRound();
    this.#inner.abandonRound();
  }

  finish(): readonly WireEvent[] {
    return this.#inner.finish();
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    return this.#inner.fail(failure);
  }

  #toVendors(event: WireEvent): readonly WireEvent[] {
    if (event.kind === 'comment') return [event];
    if (event.kind === 'whole') return [{ ...event, text: this.#wholeToVendors(event.text) }];
    const read = readResponseEvent(event.data);
    switch (read?.type) {
      case 'message_start':
        return this.#startToVendors(event, read);
      case 'content_block_start':
        return [this.#moved(event, this.#blockToVendors(read))];
      case 'content_block_delta':
      case 'content_block_stop':
        return [this.#moved(event, read)];
      case 'message_delta':
        return [withData(event, this.#endToVendors(read.data, read.body.delta))];
      default:
        return [event];
    }
  }

  #startToVendors(event: StreamEvent, read: ResponseEvent): readonly WireEvent[] {
    // A message may be complete in its start.
    if (eventsOfWholeStart(read) !== undefined) {
      const message = memberSpan(read.data, valueStart(read.data), 'message')!;
      const text = this.#wholeToVendors(textOf(read.data, message));
      return [withData(event, splice(read.data, [{ ...message, text }]))];
    }
    this.#round.messageId = memberOf(memberOf(read.data, 'message') ?? '{}', 'id');
    this.#round.moved = this.#results.length;
    return [event, ...this.#results.flatMap(toEvents)];
  }

  #blockToVendors(read: ResponseEvent): ResponseEvent {
    const block = read.body.content_block;
    const span = memberSpan(read.data, valueStart(read.data), 'content_block');
    if (!isJsonObject(block) || span === undefined) return read;
    const written = this.#callToVendors(block, textOf(read.data, span), read.body.index);
    return written === undefined ? read : readResponseEvent(splice(read.data, [{ ...span, text: written }]))!;
  }

  /** A search as the vendor's block; undefined for any other block. */
  #callToVendors(block: JsonObject, text: string, place: unknown): string | undefined {
    if (block.type !== 'tool_use') return undefined;
    if (!isHostedName(block.name)) {
      this.#round.callsClient = true;
      return undefined;
    }
    this.#round.searches = true;
    const given = isToolUse(block) && block.id !== '' ? block.id : `${this.#round.messageId}_${place}`;
    return writeServerCall(this.#newId(serverId(given)), String(block.name), memberOf(text, 'input') ?? '{}');
  }

  #newId(id: string): string {
    const number = (this.#ids.get(id) ?? 0) + 1;
    this.#ids.set(id, number);
    return number === 1 ? id : this.#newId(`${id}_${number}`);
  }

  /** The event at the place that its block has behind the results. */
  #moved(event: StreamEvent, read: ResponseEvent): StreamEvent {
    const { index } = read.body;
    const place = typeof index === 'number' ? index + this.#round.moved : undefined;
    return withData(event, place === undefined ? read.data : withPlace(read, place));
  }

  #wholeToVendors(text: string): string {
    const body = parseJson(text);
    if (!isJsonObject(body) || body.type !== 'message' || !Array.isArray(body.content)) return text;
    const root = valueSpan(text);
    const content = memberSpan(text, root.start, 'content')!;
    this.#round.messageId = memberOf(text, 'id');
    const blocks = elementsOf(text, content.start).map((span, at) => {
      const block: unknown = (body.content as readonly unknown[])[at];
      const own = textOf(text, span);
      return (isJsonObject(block) ? this.#callToVendors(block, own, at) : undefined) ?? own;
    });
    const isChanged = this.#results.length > 0 || this.#round.searches;
    if (!isChanged) return text;
    const all = [...this.#results, ...blocks].join(',');
    return this.#stopToVendors(splice(text, [{ ...content, text: `[${all}]` }]), body.stop_reason);
  }

  #endToVendors(data: string, delta: unknown): string {
    const span = memberSpan(data, valueStart(data), 'delta');
    if (!isJsonObject(delta) || span === undefined) return data;
    const text = this.#stopToVendors(textOf(data, span), delta.stop_reason);
    return splice(data, [{ ...span, text }]);
  }

  /** `object` is a `delta`, or a whole message: both have the reason as a member. */
  #stopToVendors(object: string, stopReason: unknown): string {
    this.#round.stopReason = stopReason;
    const { searches, callsClient } = this.#round;
    if (!searches || callsClient || stopReason !== 'tool_use') return object;
    return splice(object, [setMember(object, valueSpan(object), 'stop_reason', '"pause_turn"')]);
  }
}

interface Round {
  /** How many results stand in front of its own blocks. */
  moved: number;
  messageId: string | undefined;
  searches: boolean;
  callsClient: boolean;
  /** The upstream's own. */
  stopReason: unknown;
}

function newRound(): Round {
  return { moved: 0, messageId: undefined, searches: false, callsClient: false, stopReason: undefined };
}

/** The events of a block that is complete in its start. */
function toEvents(block: string, index: number): StreamEvent[] {
  return [
    toEvent('content_block_start', `"index":${index},"content_block":${block}`),
    toEvent('content_block_stop', `"index":${index}`),
  ];
}

function toEvent(name: string, members: string): StreamEvent {
  return { kind: 'event', name, data: `{"type":"${name}",${members}}` };
}

function searchesOf(message: string): SearchCall[] {
  return readBlocks(JSON.parse(message)).filter(isHostedCall).map(readCall);
}
