import type { MemberChanges } from '@winnow/core';
import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { RequestView, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/framing.ts';
import { BlockReducer, type BlockState, type ThinkingPlace } from '../joining/block-reducer.ts';
import { hideMentionsAround } from '../joining/hide-mentions.ts';
import { endOfTurn, failOnBedrock, joinedUsage } from '../joining/part-state.ts';
import { readData } from '../joining/read-event.ts';
import { type EndedRound, NOTHING, RoundJoiner, type Step } from '../joining/round-joiner.ts';
import { countsByKind, sumCounts, toUsage } from '../joining/rounds-usage.ts';
import { parseObject, withChangesAt, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../json/json-value.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { RoundReader } from './read-round.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, keep) => {
  const reducer = new ConverseReducer(hiddenNames(plan), keep);
  return new RoundJoiner(reducer, reducer.start(view));
};

/** State of an exchange. The tail of a stream begins with its `messageStop` or `metadata`. */
interface ConverseState extends BlockState<RoundReader> {
  /** Whether a search that the provider could not read was taken as a search with an empty query. */
  readonly hasRepeated: boolean;
  /** An error that the upstream has sent in its stream. */
  readonly error: StreamEvent | undefined;
}

/**
 * Takes an event in steps: 1. the reader keeps it; 2. the start of a later round, and searches, are dropped;
 * 3. blocks get their position in the client's message; 4. the end is held, because another round may follow.
 */
class ConverseReducer extends BlockReducer<RoundReader, ConverseState> {
  /** Returns the state of an exchange before its first round. */
  start(view: RequestView): ConverseState {
    const rules = countsByKind(countTokens, ({ ttl }) => ttl);
    return { ...this.startOf(view, rules), hasRepeated: false, error: undefined };
  }

  protected newReader(thinking: ThinkingPlace, left?: ConverseState): RoundReader {
    const mayRepeat = left?.hasRepeated !== true;
    return new RoundReader(this.hidden, { mayRepeat, thinking }, this.keep);
  }

  protected progressOf({ reader, error }: ConverseState) {
    return { hasBegun: false, isComplete: reader.hasStopped, error: error?.data };
  }

  override begin(left: ConverseState): ConverseState {
    return { ...super.begin(left), error: undefined };
  }

  strayText({ name, data, isError }: StreamEvent): string | undefined {
    return isError || EVENTS.test(name ?? '') ? undefined : data;
  }

  takeEvent(state: ConverseState, sent: StreamEvent): Step<ConverseState> {
    if (state.isWhole || state.error !== undefined) return { state, events: NOTHING };
    if (sent.isError) return { state: { ...state, error: sent }, events: NOTHING };
    const event = withData(sent, hideMentions(sent.data, this.hidden));
    const body = readData(event);
    switch (body && event.name) {
      case 'messageStart':
        return { state, events: state.rounds === 1 ? [event] : NOTHING };
      case 'contentBlockStart':
      case 'contentBlockDelta':
      case 'contentBlockStop':
        return this.#takeBlock(state, event, body!);
      case 'messageStop':
        state.reader.takeStop(body!);
        return this.holdTail(state, event, true);
      case 'metadata':
        state.reader.takeMetadata(body!);
        return this.holdTail(state, event, true);
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

  protected joinTail(state: ConverseState): readonly StreamEvent[] {
    return state.tail.map((event) => finishEvent(state, event));
  }

  protected joinBody(state: ConverseState, content: string): string {
    return withChangesAt(state.body!, BODY, {
      message: { content },
      root: { ...stopChanges(state), ...metadataChanges(state) },
    });
  }

  fail(state: ConverseState, failure: RoundFailure): readonly WireEvent[] {
    return failOnBedrock(state, failure, this.hidden);
  }

  /** Passes an unknown event, which may show anything. In the tail, it keeps its position. */
  #passUnknown(state: ConverseState, event: StreamEvent): Step<ConverseState> {
    if (this.hidden.areIn(event.data)) return { state, events: NOTHING };
    if (state.tail.length > 0) return this.holdTail(state, event, false);
    return { state: { ...state, hasShown: true }, events: [event] };
  }

  #takeBlock(state: ConverseState, event: StreamEvent, body: JsonObject): Step<ConverseState> {
    const { contentBlockIndex: index } = body;
    const block = state.reader.takeBlock(body, event.data.length);
    const isShown = block.isShown && shows(event.name, body);
    const next = state.hasShown || !isShown ? state : { ...state, hasShown: true };
    return this.passBlock(next, { event, index, block }, (place) => {
      const changes = place === index ? {} : { contentBlockIndex: String(place) };
      return [withData(event, withMembers(event.data, changes))];
    });
  }
}

const EVENTS = /^(?:message(?:Start|Stop)|contentBlock(?:Start|Delta|Stop)|metadata)$/;

function finishEvent(state: ConverseState, event: StreamEvent): StreamEvent {
  if (parseObject(event.data) === undefined) return event;
  if (event.name === 'messageStop') return withData(event, withMembers(event.data, stopChanges(state)));
  return event.name === 'metadata' ? withData(event, withMembers(event.data, metadataChanges(state))) : event;
}

/** The edited places of a body. */
const BODY = { root: [], message: ['output', 'message'] } as const;

function stopChanges({ reader }: ConverseState): MemberChanges {
  return endOfTurn(reader, 'stopReason');
}

function metadataChanges(state: ConverseState): MemberChanges {
  if (state.rounds === 1) return {};
  const metrics = state.readers.flatMap(({ metrics: own }): readonly JsonObject[] => (own ? [own] : []));
  return {
    ...joinedUsage(state, 'usage'),
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

/** Members that hold only the model's output or numbers. */
const KEPT = ['output', 'start', 'delta', 'usage', 'metrics', 'stopReason', 'contentBlockIndex', 'role'];

/**
 * Returns a whole response, or an event's data, without traces and additional model fields that name a hidden
 * tool.
 */
function hideMentions(text: string, hidden: HiddenNames): string {
  return hideMentionsAround(text, hidden, { kept: KEPT });
}

/**
 * Counts the tokens of a usage. Cache reads and cache writes are input too, but the provider counts them
 * separately.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
export function countTokens(usage: JsonObject): Usage {
  return toUsage({
    input: [usage.inputTokens, usage.cacheReadInputTokens, usage.cacheWriteInputTokens],
    output: usage.outputTokens,
    cachedInput: usage.cacheReadInputTokens,
    cacheWrite: usage.cacheWriteInputTokens,
    longCacheWrite: objectsIn(usage.cacheDetails).find(({ ttl }) => ttl === '1h')?.inputTokens,
  });
}
