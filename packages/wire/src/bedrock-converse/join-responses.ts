import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { RequestView } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { bedrockStreamError } from '../joining/bedrock-stream-error.ts';
import { BlockReducer, type BlockState, TAIL_EVENTS } from '../joining/block-reducer.ts';
import { isNumberedAsSent, isUntouched, placeOf, promisesCall } from '../joining/part-state.ts';
import { type EndedRound, NOTHING, RoundJoiner, type Step } from '../joining/round-joiner.ts';
import type { UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { parseObject, withChangesAt, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
import { bedrock } from '../vendors/bedrock.ts';
import { hideMentions } from './hide-mentions.ts';
import { RoundReader } from './round-reader.ts';
import { countTokens, showUsage, sumUsage } from './usage.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  const reducer = new ConverseReducer(hiddenNames(plan), keep);
  return new RoundJoiner(reducer, reducer.start(view, usageShown));
};

/** State of an exchange. The tail of a stream begins with its `messageStop` or `metadata`. */
interface ConverseState extends BlockState<StreamEvent, RoundReader> {
  /** Whether a search that the provider could not read was taken as a search with an empty query. */
  readonly hasRepeated: boolean;
  /** An error that the upstream has sent in its stream. */
  readonly error: StreamEvent | undefined;
}

/**
 * Takes an event in steps: 1. the reader keeps it; 2. the start of a later round, and searches, are dropped;
 * 3. blocks get their position in the client's message; 4. the end is held, because another round may follow.
 */
class ConverseReducer extends BlockReducer<StreamEvent, RoundReader, ConverseState> {
  /** Returns the state of an exchange before its first round. */
  start(view: RequestView, usageShown: UsageShown): ConverseState {
    const rules = { toUsage: countTokens, sum: sumUsage, show: showUsage };
    return { ...this.startOf(view, rules, usageShown), hasRepeated: false, error: undefined };
  }

  protected newReader(left?: ConverseState): RoundReader {
    return new RoundReader(this.hidden, left?.hasRepeated !== true, this.keep);
  }

  protected progressOf({ reader, error }: ConverseState) {
    return { hasBegun: false, isComplete: reader.hasStopped, hasFailed: error !== undefined };
  }

  override begin(left: ConverseState): ConverseState {
    return { ...super.begin(left), error: undefined };
  }

  takeEvent(state: ConverseState, sent: StreamEvent): Step<ConverseState> {
    if (state.isWhole || state.error !== undefined) return { state, events: NOTHING };
    if (sent.isError) return { state: { ...state, error: sent }, events: NOTHING };
    const event = withData(sent, hideMentions(sent.data, this.hidden));
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
        return this.#holdTail(state, event);
      case 'metadata':
        state.reader.takeMetadata(body!);
        return this.#holdTail(state, event);
      default:
        return this.#passUnknown(state, event);
    }
  }

  takeWhole(state: ConverseState, text: string): Step<ConverseState> {
    const body = hideMentions(text, this.hidden);
    const read = state.isWhole ? parseObject(body) : undefined;
    if (read !== undefined) state.reader.takeWhole(read, body);
    return { state: { ...state, body }, events: NOTHING };
  }

  isOver({ reader: { hasStopped, hasMetadata, isOverfull }, error }: ConverseState): boolean {
    return (hasStopped && hasMetadata) || isOverfull || error !== undefined;
  }

  override end(state: ConverseState): EndedRound<ConverseState> | RoundFailure {
    const end = super.end(state);
    if (end.kind === 'failed') return end;
    const repeats = end.stopReason === 'malformed_tool_use' && end.turn.searches.length > 0;
    return { ...end, state: { ...state, hasRepeated: state.hasRepeated || repeats } };
  }

  protected finishWhole(state: ConverseState): string {
    return finishWhole(state);
  }

  protected finishStream(state: ConverseState): readonly StreamEvent[] {
    return isUntouched(state) ? state.tail : state.tail.map((event) => finishEvent(state, event));
  }

  fail({ error, isWhole, rounds, body }: ConverseState, failure: RoundFailure): readonly WireEvent[] {
    const own = bedrockStreamError(failure, this.hidden);
    const isOpen = failure.reason === 'upstream_error' && error && !this.hidden.areIn(error.data);
    if (!isWhole) return [isOpen ? error : own];
    // A first body that is not a response of this format is passed on unchanged.
    const text = failure.reason === 'malformed_answer' && rounds === 1 ? body : undefined;
    const status = failure.refusal?.status ?? 502;
    const { message } = JSON.parse(own.data) as { message: string };
    return [{ kind: 'whole', text: text ?? bedrock.errorBody({ status, message }) }];
  }

  /** Passes an unknown event, which may show anything. In the tail, it keeps its position. */
  #passUnknown(state: ConverseState, event: StreamEvent): Step<ConverseState> {
    if (this.hidden.areIn(event.data)) return { state, events: NOTHING };
    if (state.tail.length > 0) return this.#holdTail(state, event);
    return { state: { ...state, hasShown: true }, events: [event] };
  }

  #holdTail(state: ConverseState, event: StreamEvent): Step<ConverseState> {
    return this.holdTail(state, event, event, state.tail.length < TAIL_EVENTS);
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

function finishEvent(state: ConverseState, event: StreamEvent): StreamEvent {
  if (parseObject(event.data) === undefined) return event;
  if (event.name === 'messageStop') return withData(event, withMembers(event.data, stopChanges(state)));
  return event.name === 'metadata' ? withData(event, withMembers(event.data, metadataChanges(state))) : event;
}

/** The edited places of a body. */
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
