import type { JoinResponses, RoundFailure } from '../../format/response-joiner.ts';
import type { StreamEvent, WireEvent } from '../../framing/wire-event.ts';
import { failOnBedrock } from '../../joining/fail-on-bedrock.ts';
import { NOTHING, RoundJoiner, type Step } from '../../joining/round-joiner.ts';
import { shownCounts } from '../../joining/shown-counts.ts';
import { parseObject, withMembers } from '../../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../../json/json-splice.ts';
import { hiddenNames } from '../../tools/hidden-names.ts';
import { MessageReducer, type MessageState } from '../join-responses.ts';
import { fromChunk, textOfChunk, toChunk } from './chunk-event.ts';

/**
 * Creates the joiner for one exchange: the joiner of Messages, adapted to the service's frames, errors and
 * metrics.
 */
export const joinInvocations: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  const reducer = new InvocationReducer(hiddenNames(plan), keep);
  const start = { ...reducer.start(view, usageShown), metrics: [], error: undefined };
  return new RoundJoiner<InvocationState>(reducer, start);
};

/** The member of a stream's last event that holds the metrics of the invocation. */
const METRICS = 'amazon-bedrock-invocationMetrics';

interface InvocationState extends MessageState {
  /** The metrics of each round, the current one last. */
  readonly metrics: readonly JsonObject[];
  readonly error: StreamEvent | undefined;
}

/** An exception in the form of an error of Messages. */
const FAILED = JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'It failed.' } });

class InvocationReducer extends MessageReducer<InvocationState> {
  /** The frame that held each event. */
  readonly #frames = new WeakMap<WireEvent, StreamEvent>();

  override begin(left: InvocationState): InvocationState {
    return { ...super.begin(left), error: undefined };
  }

  override takeEvent(state: InvocationState, event: StreamEvent): Step<InvocationState> {
    if (event.isError) {
      const failed = { ...state, error: state.error ?? event };
      return super.takeEvent(failed, { kind: 'event', name: 'error', data: FAILED });
    }
    const said = fromChunk(event);
    if (said === undefined) return this.#passUnknown(state, event);
    this.#frames.set(said, event);
    const metrics = metricsIn(said.data);
    const next = metrics === undefined ? state : { ...state, metrics: [...state.metrics, metrics] };
    return this.#toFrames(state, super.takeEvent(next, said));
  }

  override takeWhole(state: InvocationState, text: string): Step<InvocationState> {
    return this.#toFrames(state, super.takeWhole(state, text));
  }

  override finish(state: InvocationState): readonly WireEvent[] {
    return super.finish(state).map((event) => this.#toFrame(this.#withMetrics(state, event)));
  }

  override fail(state: InvocationState, failure: RoundFailure): readonly WireEvent[] {
    return failOnBedrock(state, failure, this.hidden);
  }

  /** Passes an unknown frame, which may show anything, unless it contains a hidden tool's name. */
  #passUnknown(state: InvocationState, event: StreamEvent): Step<InvocationState> {
    const names = this.hidden.areIn(event.data) || this.hidden.areIn(textOfChunk(event) ?? '');
    if (names || this.isOver(state)) return { state, events: NOTHING };
    return { state: { ...state, hasShown: true }, events: [event] };
  }

  #toFrames(before: InvocationState, { state, events }: Step<InvocationState>): Step<InvocationState> {
    const { amendedStart } = state;
    const isAmended = amendedStart !== undefined && amendedStart !== before.amendedStart;
    return {
      state: isAmended ? { ...state, amendedStart: toChunk(amendedStart.data) } : state,
      events: events.map((event) => this.#toFrame(event)),
    };
  }

  #toFrame(event: WireEvent): WireEvent {
    return event.kind === 'event' ? (this.#frames.get(event) ?? toChunk(event.data)) : event;
  }

  /** Returns the event with joined metrics in place of those of the last round. */
  #withMetrics({ metrics, used }: InvocationState, event: WireEvent): WireEvent {
    if (event.kind !== 'event' || metrics.length < 2 || !event.data.includes(METRICS)) return event;
    const joined = metrics.reduce((earlier, later) => shownCounts(earlier, later, used.usageShown));
    const { firstByteLatency } = metrics[0]!;
    const shown = { ...joined, ...(firstByteLatency !== undefined && { firstByteLatency }) };
    return { ...event, data: withMembers(event.data, { [METRICS]: JSON.stringify(shown) }) };
  }
}

function metricsIn(data: string): JsonObject | undefined {
  const metrics = data.includes(METRICS) ? parseObject(data)?.[METRICS] : undefined;
  return isJsonObject(metrics) ? metrics : undefined;
}
