import type { ResponseJoiner, RoundEnd, RoundFailure } from '../../format/response-joiner.ts';
import type { Plan, RequestView, Usage } from '../../format/view.ts';
import type { StreamEvent, WireEvent } from '../../framing/wire-event.ts';
import { bedrockStreamError } from '../../joining/bedrock-stream-error.ts';
import type { Keep } from '../../joining/keep.ts';
import { shownCounts, type UsageShown } from '../../joining/shown-counts.ts';
import { isJsonObject, type JsonObject, setMember, splice, valueSpan } from '../../json/json-splice.ts';
import { parseJson } from '../../json/parse-json.ts';
import { type HiddenNames, hiddenNames } from '../../tools/hidden-names.ts';
import { bedrock } from '../../vendors/bedrock.ts';
import { joinResponses } from '../join-responses.ts';
import { fromChunk, textOfChunk, toChunk } from './chunk-event.ts';

/** The joiner for one exchange: that of Messages, behind the service's frames, errors and metrics. */
export function joinInvocations(
  view: RequestView,
  plan: Plan,
  usageShown: UsageShown = 'last',
  keep?: Keep,
): ResponseJoiner {
  return new InvocationJoiner(view, plan, usageShown, keep);
}

/** What the last event of a stream tells of the invocation. */
const METRICS = 'amazon-bedrock-invocationMetrics';

class InvocationJoiner implements ResponseJoiner {
  readonly #inner: ResponseJoiner;
  readonly #hidden: HiddenNames;
  readonly #usageShown: UsageShown;
  readonly #wantsStream: boolean;
  /** The frame that each event came in. */
  readonly #frames = new WeakMap<WireEvent, StreamEvent>();
  /** Something was passed on beside the joiner of Messages. */
  #hasPassed = false;
  /** What is known of the metrics of each round, the current one last. */
  #metrics: JsonObject[] = [];
  #metricsBefore = 0;
  #error: StreamEvent | undefined;

  constructor(view: RequestView, plan: Plan, usageShown: UsageShown, keep: Keep | undefined) {
    this.#inner = joinResponses(view, plan, usageShown, keep);
    this.#hidden = hiddenNames(plan);
    this.#usageShown = usageShown;
    this.#wantsStream = view.isStream;
  }

  get hasStarted(): boolean {
    return this.#inner.hasStarted || this.#hasPassed;
  }

  get hasShown(): boolean {
    return this.#inner.hasShown || this.#hasPassed;
  }

  get usage(): Usage | undefined {
    return this.#inner.usage;
  }

  get isRoundOver(): boolean {
    return this.#inner.isRoundOver;
  }

  get amendedStart(): StreamEvent | undefined {
    const start = this.#inner.amendedStart;
    return start && toChunk(start.data);
  }

  feed(event: WireEvent): readonly WireEvent[] {
    if (event.kind !== 'event') return this.#inner.feed(event).map((one) => this.#toFrame(one));
    if (event.isError) return this.#feedError(event);
    const said = fromChunk(event);
    if (said === undefined) return this.#passUnknown(event);
    this.#frames.set(said, event);
    this.#readMetrics(said.data);
    return this.#inner.feed(said).map((one) => this.#toFrame(one));
  }

  endRound(): RoundEnd {
    const end = this.#inner.endRound();
    if (end.kind !== 'failed') this.#metricsBefore = this.#metrics.length;
    return end;
  }

  abandonRound(): void {
    this.#inner.abandonRound();
    this.#metrics.length = this.#metricsBefore;
    this.#error = undefined;
  }

  finish(): readonly WireEvent[] {
    return this.#inner.finish().map((event) => this.#toFrame(this.#withMetrics(event)));
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    const [event] = this.#inner.fail(failure);
    const isWhole = event === undefined ? !this.#wantsStream : event.kind === 'whole';
    if (!isWhole) {
      const isOpen = failure.reason === 'upstream_error' && !this.#namesSearchTool(this.#error?.data ?? '');
      return [(isOpen ? this.#error : undefined) ?? bedrockStreamError(failure, this.#hidden)];
    }
    // What is no response of the format is passed on as it came.
    if (failure.reason === 'malformed_answer' && event?.kind === 'whole') {
      const body = parseJson(event.text);
      if (!isJsonObject(body) || body.type !== 'error') return [event];
    }
    const status = failure.refusal?.status ?? 502;
    const { message } = JSON.parse(bedrockStreamError(failure, this.#hidden).data) as {
      message: string;
    };
    return [{ kind: 'whole', text: bedrock.errorBody({ status, message }) }];
  }

  /** To the joiner of Messages, an exception is its own kind of error. */
  #feedError(event: StreamEvent): readonly WireEvent[] {
    this.#error ??= event;
    const error = JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'It failed.' } });
    return this.#inner.feed({ kind: 'event', name: 'error', data: error }).map((one) => this.#toFrame(one));
  }

  /** A frame that nobody knows may show anything, but not the search tool's name. */
  #passUnknown(event: StreamEvent): readonly WireEvent[] {
    const names = this.#namesSearchTool(event.data) || this.#namesSearchTool(textOfChunk(event) ?? '');
    if (names || this.#inner.isRoundOver) return [];
    this.#hasPassed = true;
    return [event];
  }

  #toFrame(event: WireEvent): WireEvent {
    if (event.kind !== 'event') return event;
    return this.#frames.get(event) ?? toChunk(event.data);
  }

  #readMetrics(data: string): void {
    if (!data.includes(METRICS)) return;
    const body = parseJson(data);
    const metrics = isJsonObject(body) ? body[METRICS] : undefined;
    if (isJsonObject(metrics)) this.#metrics.push(metrics);
  }

  /** The metrics of one invocation, in place of those of the last round alone. */
  #withMetrics(event: WireEvent): WireEvent {
    if (event.kind !== 'event' || this.#metrics.length < 2 || !event.data.includes(METRICS)) return event;
    const joined = this.#metrics.reduce((earlier, later) => shownCounts(earlier, later, this.#usageShown));
    const { firstByteLatency } = this.#metrics[0]!;
    const metrics = JSON.stringify({
      ...joined,
      ...(firstByteLatency !== undefined && { firstByteLatency }),
    });
    const { data } = event;
    return { ...event, data: splice(data, [setMember(data, valueSpan(data), METRICS, metrics)]) };
  }

  #namesSearchTool(text: string): boolean {
    return this.#hidden.areIn(text);
  }
}
