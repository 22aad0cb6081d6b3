import type { Keep, ResponseJoiner, RoundFailure } from '../../format/response-joiner.ts';
import type { Plan, RequestView, SearchCall, SearchResult } from '../../format/view.ts';
import { type StreamEvent, withData } from '../../framing/framing.ts';
import { ThinkingPlace } from '../../joining/block-reducer.ts';
import { type ReadEvent, readEvent } from '../../joining/read-event.ts';
import { type EndedRound, RoundJoiner, type Step, takeAll } from '../../joining/round-joiner.ts';
import { memberOf, memberTexts, parseObject, withMember, withMembers } from '../../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import { hiddenNames } from '../../tools/hidden-names.ts';
import { eventsOfWholeStart, MessageReducer, type MessageState, withPlace } from '../join-responses.ts';
import { isToolUse, readBlocks } from '../read-request.ts';
import type { RoundReader } from '../read-round.ts';
import {
  isHostedCall,
  isHostedName,
  readCall,
  serverId,
  writeServerCall,
  writeServerResult,
} from './search-blocks.ts';

/** An exchange whose client sees searches. */
export interface SearchedExchange {
  readonly view: RequestView;
  readonly plan: Plan;
  readonly keep?: Keep | undefined;
  /** Results of the searches that the history left open. They begin the first response. */
  readonly results: readonly SearchResult[];
  /** Ids of hosted searches in the history. Some servers repeat ids in each response. */
  readonly taken: Iterable<string>;
}

/**
 * Creates a joiner whose client sees searches as the vendor's own. Each response of an upstream that knows
 * only functions is rewritten as a response of the vendor's, which begins with the results of the previous
 * searches, and then joined like Messages.
 *
 * A response that only searches and is not continued ends in `pause_turn`, like the vendor's.
 */
export function joinSearches(exchange: SearchedExchange): ResponseJoiner {
  const { view, plan, keep } = exchange;
  const reducer = new SearchReducer(hiddenNames(plan), keep);
  const results = exchange.results.map(writeServerResult);
  const writer = new SearchWriter(results, new GivenIds(exchange.taken));
  return new RoundJoiner<SearchState>(reducer, { ...reducer.start(view), results, writer });
}

/** Stop reasons that leave the last call unfinished, or all calls without effect. */
const CUT_OFF: ReadonlySet<unknown> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'stop_sequence',
  'refusal',
]);

interface SearchState extends MessageState {
  /** Results, as blocks, at the beginning of the current round. */
  readonly results: readonly string[];
  /** Rewrites the current response. */
  readonly writer: SearchWriter;
}

class SearchReducer extends MessageReducer<SearchState> {
  override begin(left: SearchState): SearchState {
    const writer = new SearchWriter(left.results, new GivenIds([], left.writer.ids));
    return { ...super.begin(left), writer };
  }

  /** The client sees all rounds, and all thinking stands where the model put it. */
  protected override newReader(): RoundReader {
    return super.newReader(new ThinkingPlace(true));
  }

  protected override isEmpty({ rounds, writer }: SearchState): boolean {
    return rounds > 1 && !writer.hasBlocks;
  }

  override takeEvent(state: SearchState, event: StreamEvent): Step<SearchState> {
    return takeAll(state, state.writer.write(event), (next, one) => super.takeEvent(next, one));
  }

  override takeWhole(state: SearchState, text: string): Step<SearchState> {
    return super.takeWhole(state, state.writer.writeWhole(text));
  }

  takeResults(state: SearchState, results: readonly SearchResult[]): SearchState {
    return { ...state, results: results.map(writeServerResult) };
  }

  override end(state: SearchState): EndedRound<SearchState> | RoundFailure {
    const end = super.end(state);
    // A failed round is requested again, and begins with the same results.
    if (end.kind === 'failed') return end;
    const { callsClient, stopReason } = state.writer;
    const searches = callsClient || CUT_OFF.has(stopReason) ? [] : searchesOf(end.turn.message);
    const turn = searches.length > 0 ? { ...end.turn, searches } : end.turn;
    return { ...end, turn, state: { ...end.state, results: [] } };
  }
}

/** Rewrites one response of an upstream as the vendor's. Created again for each round. */
class SearchWriter {
  readonly ids: GivenIds;
  /** Whether the upstream has sent a block. */
  hasBlocks = false;
  /** Whether a call is for one of the client's tools. */
  callsClient = false;
  /** The upstream's own stop reason. */
  stopReason: unknown;
  readonly #results: readonly string[];
  /** The number of results before the response's own blocks. */
  #moved = 0;
  #messageId: string | undefined;
  #searches = false;

  /** `results` begin the response. */
  constructor(results: readonly string[], ids: GivenIds) {
    this.#results = results;
    this.ids = ids;
  }

  /** Returns the events that replace an event of the upstream. */
  write(event: StreamEvent): readonly StreamEvent[] {
    const read = readEvent(event.data);
    switch (read?.type) {
      case 'message_start':
        return this.#startToVendors(event, read);
      case 'content_block_start':
        return [this.#placed(event, this.#blockToVendors(read))];
      case 'content_block_delta':
      case 'content_block_stop':
        return [this.#placed(event, read)];
      case 'message_delta':
        return [withData(event, this.#endToVendors(read.data, read.body.delta))];
      default:
        return [event];
    }
  }

  #startToVendors(event: StreamEvent, read: ReadEvent): readonly StreamEvent[] {
    // A message may be complete in its start.
    if (eventsOfWholeStart(read) !== undefined) {
      return [
        withData(
          event,
          withMember(read.data, 'message', (text) => this.writeWhole(text)),
        ),
      ];
    }
    this.#messageId = memberOf(memberOf(read.data, 'message') ?? '{}', 'id');
    this.#moved = this.#results.length;
    return [event, ...this.#results.flatMap(toEvents)];
  }

  #blockToVendors(read: ReadEvent): ReadEvent {
    const { content_block: block, index } = read.body;
    this.hasBlocks = true;
    if (!isJsonObject(block)) return read;
    const write = (text: string) => this.#callToVendors(block, text, index) ?? text;
    return readEvent(withMember(read.data, 'content_block', write)) ?? read;
  }

  /** Returns a search as the vendor's block; undefined for any other block. */
  #callToVendors(block: JsonObject, text: string, place: unknown): string | undefined {
    if (block.type !== 'tool_use') return undefined;
    if (!isHostedName(block.name)) {
      this.callsClient = true;
      return undefined;
    }
    this.#searches = true;
    const given = isToolUse(block) && block.id !== '' ? block.id : `${this.#messageId}_${place}`;
    return writeServerCall(
      this.ids.give(serverId(given)),
      String(block.name),
      memberOf(text, 'input') ?? '{}',
    );
  }

  /** Returns the event with its block's position after the results. */
  #placed(event: StreamEvent, read: ReadEvent): StreamEvent {
    const { index } = read.body;
    const place = typeof index === 'number' ? index + this.#moved : undefined;
    return withData(event, place === undefined ? read.data : withPlace(read, place));
  }

  /** Returns the body that replaces a body of the upstream's. */
  writeWhole(text: string): string {
    const body = parseObject(text);
    if (body?.type !== 'message' || !Array.isArray(body.content)) return text;
    this.#messageId = memberOf(text, 'id');
    const own = memberTexts(text, 'content').map((block, at) => {
      const read: unknown = (body.content as readonly unknown[])[at];
      return (isJsonObject(read) ? this.#callToVendors(read, block, at) : undefined) ?? block;
    });
    this.hasBlocks = own.length > 0;
    if (this.#results.length === 0 && !this.#searches) return text;
    const content = `[${[...this.#results, ...own].join(',')}]`;
    return this.#stopToVendors(withMembers(text, { content }), body.stop_reason);
  }

  #endToVendors(data: string, delta: unknown): string {
    if (!isJsonObject(delta)) return data;
    return withMember(data, 'delta', (text) => this.#stopToVendors(text, delta.stop_reason));
  }

  /** Adapts the stop reason. `object` is a `delta` or a whole message; both have it as a member. */
  #stopToVendors(object: string, stopReason: unknown): string {
    this.stopReason = stopReason;
    const isPaused = this.#searches && !this.callsClient && stopReason === 'tool_use';
    return isPaused ? withMembers(object, { stop_reason: '"pause_turn"' }) : object;
  }
}

/**
 * The ids given so far; none is given twice. Created again for each round, on top of those of earlier rounds.
 */
class GivenIds {
  readonly #earlier: GivenIds | undefined;
  readonly #ids: Map<string, number>;

  constructor(taken: Iterable<string>, earlier?: GivenIds) {
    this.#ids = new Map([...taken].map((id) => [id, 1]));
    this.#earlier = earlier;
  }

  give(id: string): string {
    const number = this.#countOf(id) + 1;
    this.#ids.set(id, number);
    return number === 1 ? id : this.give(`${id}_${number}`);
  }

  #countOf(id: string): number {
    return this.#ids.get(id) ?? (this.#earlier ? this.#earlier.#countOf(id) : 0);
  }
}

/** Returns the events of a block that is complete in its start. */
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
