import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { bedrockStreamError } from '../joining/bedrock-stream-error.ts';
import type { Keep } from '../joining/keep.ts';
import {
  isNumberedAsSent,
  isUntouched,
  type PartState,
  Places,
  placeOf,
  promisesCall,
  unfinishedFailure,
} from '../joining/part-state.ts';
import { roundFailure } from '../joining/round-failure.ts';
import {
  type EndedRound,
  NOTHING,
  RoundJoiner,
  type RoundReducer,
  type Step,
  startOfExchange,
} from '../joining/round-joiner.ts';
import type { CountRules } from '../joining/rounds-usage.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { parseObject, withChangesAt, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { bedrock } from '../vendors/bedrock.ts';
import { hideMentions } from './hide-mentions.ts';
import { RoundReader } from './round-reader.ts';
import { countTokens, showUsage, sumUsage } from './usage.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  const hidden = hiddenNames(plan);
  return new RoundJoiner(new ConverseReducer(hidden, keep), {
    ...startOfExchange(view, COUNT_RULES, usageShown),
    ...ROUND_START,
    reader: new RoundReader(hidden, true, keep),
    readers: [],
    places: new Places(),
    tail: [],
    hasHidden: false,
    hasRepeated: false,
  });
};

const COUNT_RULES: CountRules = { toUsage: countTokens, sum: sumUsage, show: showUsage };

/** The most held events at the end of a stream; real ends have two. */
const TAIL_EVENTS = 16;
const TAIL_CHARS = 1024 * 1024;

/** State of an exchange. The tail of a stream begins with its `messageStop` or `metadata`. */
interface ConverseState extends PartState<StreamEvent> {
  readonly reader: RoundReader;
  /** The readers of all responses, the current one last. */
  readonly readers: readonly RoundReader[];
  /** Whether a search that the provider could not read was taken as a search with an empty query. */
  readonly hasRepeated: boolean;
  readonly tailChars: number;
  readonly error: StreamEvent | undefined;
}

const ROUND_START = { body: undefined, tailChars: 0, error: undefined } as const;

/**
 * Takes an event in steps: 1. the reader keeps it; 2. the start of a later round, and searches, are dropped;
 * 3. blocks get their position in the client's message; 4. the end is held, because another round may follow.
 */
class ConverseReducer implements RoundReducer<ConverseState> {
  readonly #hidden: HiddenNames;
  readonly #keep: Keep | undefined;

  constructor(hidden: HiddenNames, keep: Keep | undefined) {
    this.#hidden = hidden;
    this.#keep = keep;
  }

  begin(left: ConverseState): ConverseState {
    const reader = new RoundReader(this.#hidden, !left.hasRepeated, this.#keep);
    const readers = [...left.readers, reader];
    return { ...left, ...ROUND_START, reader, readers, places: new Places(left.places.next), tail: [] };
  }

  takeEvent(state: ConverseState, sent: StreamEvent): Step<ConverseState> {
    if (state.isWhole || state.error !== undefined) return { state, events: NOTHING };
    if (sent.isError) return { state: { ...state, error: sent }, events: NOTHING };
    const event = withData(sent, hideMentions(sent.data, this.#hidden));
    const body = parseObject(event.data);
    switch (body && event.name) {
      case 'messageStart':
        return { state, events: state.rounds === 1 ? [event] : NOTHING };
      case 'contentBlockStart':
      case 'contentBlockDelta':
      case 'contentBlockStop':
        return takeBlock(state, event, body!);
      case 'messageStop':
        state.reader.takeStop(body!);
        return holdTail(state, event);
      case 'metadata':
        state.reader.takeMetadata(body!);
        return holdTail(state, event);
      default:
        return this.#passUnknown(state, event);
    }
  }

  takeWhole(state: ConverseState, text: string): Step<ConverseState> {
    const body = hideMentions(text, this.#hidden);
    const read = state.isWhole ? parseObject(body) : undefined;
    if (read !== undefined) state.reader.takeWhole(read, body);
    return { state: { ...state, body }, events: NOTHING };
  }

  isOver({ reader: { hasStopped, hasMetadata, isOverfull }, error }: ConverseState): boolean {
    return (hasStopped && hasMetadata) || isOverfull || error !== undefined;
  }

  end(state: ConverseState): EndedRound<ConverseState> | RoundFailure {
    const { reader, error, tailChars } = state;
    const { stopReason } = reader;
    if (error !== undefined) return roundFailure('upstream_error');
    if (reader.heldTooMuch || tailChars > TAIL_CHARS) return roundFailure('held_too_much');
    const failure = reader.hasStopped ? undefined : unfinishedFailure(state, false, this.#hidden);
    if (failure !== undefined) return failure;
    const turn = reader.turn();
    const repeats = stopReason === 'malformed_tool_use' && turn.searches.length > 0;
    const hasRepeated = state.hasRepeated || repeats;
    return { kind: 'ended', state: { ...state, hasRepeated }, turn, stopReason };
  }

  finish(state: ConverseState): readonly WireEvent[] {
    const { isWhole, tail } = state;
    if (isWhole) return [{ kind: 'whole', text: finishWhole(state) }];
    return isUntouched(state) ? tail : tail.map((event) => finishEvent(state, event));
  }

  fail({ error, isWhole, rounds, body }: ConverseState, failure: RoundFailure): readonly WireEvent[] {
    const own = bedrockStreamError(failure, this.#hidden);
    const isOpen = failure.reason === 'upstream_error' && error && !this.#hidden.areIn(error.data);
    if (!isWhole) return [isOpen ? error : own];
    // A first body that is not a response of this format is passed on unchanged.
    const text = failure.reason === 'malformed_answer' && rounds === 1 ? body : undefined;
    const status = failure.refusal?.status ?? 502;
    const { message } = JSON.parse(own.data) as { message: string };
    return [{ kind: 'whole', text: text ?? bedrock.errorBody({ status, message }) }];
  }

  /** Passes an unknown event, which may show anything. In the tail, it keeps its position. */
  #passUnknown(state: ConverseState, event: StreamEvent): Step<ConverseState> {
    if (this.#hidden.areIn(event.data)) return { state, events: NOTHING };
    if (state.tail.length > 0) return holdTail(state, event);
    return { state: { ...state, hasShown: true }, events: [event] };
  }
}

function takeBlock(state: ConverseState, event: StreamEvent, body: JsonObject): Step<ConverseState> {
  const { contentBlockIndex: index } = body;
  const block = state.reader.takeBlock(body, event.data.length);
  if (block.isSearch) return { state: { ...state, hasHidden: true }, events: NOTHING };
  const next = state.hasShown || !shows(event.name, body) ? state : { ...state, hasShown: true };
  if (isNumberedAsSent(state) && typeof index !== 'number') return { state: next, events: [event] };
  const place = placeOf(state, block, index);
  const changes = place === index ? {} : { contentBlockIndex: String(place) };
  return { state: next, events: [withData(event, withMembers(event.data, changes))] };
}

function holdTail(state: ConverseState, event: StreamEvent): Step<ConverseState> {
  const tailChars = state.tailChars + event.data.length;
  if (tailChars <= TAIL_CHARS && state.tail.length < TAIL_EVENTS) state.tail.push(event);
  return { state: { ...state, tailChars }, events: NOTHING };
}

function finishEvent(state: ConverseState, event: StreamEvent): StreamEvent {
  if (parseObject(event.data) === undefined) return event;
  if (event.name === 'messageStop') return withData(event, withMembers(event.data, stopChanges(state)));
  return event.name === 'metadata' ? withData(event, withMembers(event.data, metadataChanges(state))) : event;
}

/** The places of a body that are edited. */
const BODY = { root: [], message: ['output', 'message'] } as const;

/** Returns the last response's body with the visible blocks of all responses. */
function finishWhole(state: ConverseState): string {
  const body = state.body!;
  if (isUntouched(state)) return body;
  const blocks = state.readers.flatMap((reader) => reader.visibleBlocks());
  return withChangesAt(body, BODY, {
    message: { content: `[${blocks.join(',')}]` },
    root: { ...stopChanges(state), ...metadataChanges(state) },
  });
}

/** Returns the changed stop reason of a response that ends for a call that the client does not see. */
function stopChanges({ reader }: ConverseState): Record<string, string> {
  return promisesCall(reader) ? { stopReason: '"end_turn"' } : {};
}

function metadataChanges({ rounds, used, reader, readers }: ConverseState): Record<string, string> {
  if (rounds === 1) return {};
  const usage = used.shownWith(reader.usage);
  const metrics = readers.flatMap(({ metrics: own }): readonly JsonObject[] => (own ? [own] : []));
  return {
    ...(usage !== undefined && { usage: JSON.stringify(usage) }),
    ...(metrics.length > 0 && { metrics: JSON.stringify(metrics.reduce(sumCounts)) }),
  };
}

/**
 * Whether the client sees content in an event about a block: the start of a text, an empty piece and a
 * signature do not count.
 */
function shows(name: string | undefined, { start, delta }: JsonObject): boolean {
  if (name === 'contentBlockStop') return false;
  if (name === 'contentBlockStart') return isJsonObject(start) && Object.keys(start).length > 0;
  if (!isJsonObject(delta)) return false;
  const { text, reasoningContent: reasoning, ...others } = delta;
  if (typeof text === 'string' && text !== '') return true;
  if (isJsonObject(reasoning)) return typeof reasoning.text === 'string' && reasoning.text !== '';
  return Object.keys(others).length > 0;
}
