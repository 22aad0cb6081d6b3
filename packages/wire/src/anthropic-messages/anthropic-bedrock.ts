import { appendElements, decodePercent, type Edit, setMember } from '@winnow/core';
import type { CallEvent, CallEvents, CallPart, PartChanges } from '../bridge/call-events.ts';
import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import type { Past, ReadOptions } from '../format/request-parts.ts';
import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestReading, RequestView, WrappedText } from '../format/view.ts';
import { eventText, type StreamEvent, type WireEvent } from '../framing/framing.ts';
import { failOnBedrock } from '../joining/part-state.ts';
import { NOTHING, RoundJoiner, type Step } from '../joining/round-joiner.ts';
import { shownCounts } from '../joining/rounds-usage.ts';
import { BodyBytes } from '../json/body-bytes.ts';
import { parseObject, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json/json-value.ts';
import { isReadable } from '../json/scan-json.ts';
import { rememberBy } from '../remember-by.ts';
import { createBodyReader } from '../request/read-body.ts';
import { entryFacts, toolListReader } from '../request/tool-entries.ts';
import { writeRequest } from '../request/write-request.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
import { bedrock } from '../vendors/bedrock.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { editsOf } from './edit-request.ts';
import { bridgeDialect } from './edit-tools.ts';
import { MessageReducer, type MessageState } from './join-responses.ts';
import { readRequest } from './read-request.ts';

const { hostedSearches: _, ...capabilities } = anthropicMessages.capabilities;
const { nativeHeaders: __, changeHeaders: ___, changeRefusal: ____, ...loading } = anthropicMessages.loading;

/**
 * Creates the joiner for one exchange: the joiner of Messages, adapted to the service's frames, errors and
 * metrics.
 */
const joinInvocations: JoinResponses = (view, plan, keep) => {
  const reducer = new InvocationReducer(hiddenNames(plan), keep);
  const start = { ...reducer.start(view), metrics: [], error: undefined };
  return new RoundJoiner<InvocationState>(reducer, start);
};

/**
 * Claude on Bedrock through InvokeModel: the Messages API with the model in the path, and the version and
 * betas in the body. Its stream is an AWS event stream that carries each event as base64 in a frame. The
 * service runs the vendor's searches itself.
 *
 * Source:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
export const anthropicBedrock: Format = {
  ...anthropicMessages,
  name: 'anthropic-bedrock',
  vendor: bedrock,
  heartbeat: toChunk('{"type": "ping"}'),
  loading,
  reading: {
    routes: [
      [/\/model\/[^/]+\/(?:invoke|invoke-with-response-stream)$/, 'answer'],
      [/\/model\/[^/]+\/count-tokens$/, 'count_tokens'],
    ],
    readRequest: readInvocation,
  },
  editing: { ...anthropicMessages.editing, editRequest: editInvocation },
  joining: {
    joinResponses: joinBridged(joinInvocations, {
      ...bridgeDialect,
      readCalls: (bridge) => new ChunkedCalls(bridgeDialect.readCalls(bridge)),
      textOf: (event) => eventText(saidBy(event) ?? event),
    }),
    passing: anthropicMessages.joining.passing!,
  },
  capabilities,
};

/**
 * The beta that enables deferred tools on this service. Claude Code sends it here in place of the one for the
 * vendor's API.
 */
const DEFERRAL = 'tool-search-tool-2025-10-19';

/**
 * Returns the request to send upstream. It is edited like one of the Messages API, except that its betas are
 * in the body.
 */
function editInvocation(view: RequestView, plan: Plan, past: Past): Uint8Array {
  return writeRequest(view, [...editsOf(view, plan, past), ...addBeta(view, plan)]);
}

function addBeta({ text, body, spans }: RequestView, { loadMode, defer }: Plan): Edit[] {
  if (loadMode !== 'native' || defer.length === 0) return [];
  const { anthropic_beta: betas } = body;
  if (!Array.isArray(betas)) return [setMember(text, spans.root, 'anthropic_beta', `["${DEFERRAL}"]`)];
  if (betas.includes(DEFERRAL)) return [];
  return [appendElements(text, spans.members.get('anthropic_beta')!, [`"${DEFERRAL}"`])];
}

const NO_PARTS: readonly CallPart[] = [];

/** Reads the calls in the events of Messages that frames carry. */
class ChunkedCalls implements CallEvents {
  readonly #calls: CallEvents;

  constructor(calls: CallEvents) {
    this.#calls = calls;
  }

  partsOf(event: CallEvent): readonly CallPart[] {
    const said = saidBy(event);
    return said === undefined ? NO_PARTS : this.#calls.partsOf(said);
  }

  endsCalls(event: CallEvent): boolean {
    const said = saidBy(event);
    return said !== undefined && this.#calls.endsCalls(said);
  }

  rewrite(event: CallEvent, changes: PartChanges): CallEvent | undefined {
    if (event.kind === 'whole') return this.#calls.rewrite(event, changes);
    const said = saidBy(event);
    const written = said && this.#calls.rewrite(said, changes);
    if (written === undefined || written.kind === 'whole') return undefined;
    return written === said ? event : toChunk(written.data);
  }
}

/** Returns the event in a frame. An error has none, and is one. */
function saidBy(event: CallEvent): CallEvent | undefined {
  return event.kind === 'whole' || event.isError === true ? event : fromChunk(event);
}

/** The facts in the path of an invocation: the body has neither the model nor a stream flag. */
interface Invocation {
  readonly isStream: boolean;
  readonly model: string;
}

/**
 * Returns the model that a path invokes and whether it streams; undefined for every other operation. Matches
 * `/model/{id}/invoke`, `/model/{id}/invoke-with-response-stream` and `/model/{id}/count-tokens` under any
 * prefix.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html and
 * API_runtime_CountTokens.html.
 */
function invocationOf(path: string): Invocation | undefined {
  const [, model = '', operation] =
    /\/model\/([^/]+)\/(invoke|invoke-with-response-stream|count-tokens)$/.exec(path) ?? [];
  if (operation === undefined) return undefined;
  return { isStream: operation === 'invoke-with-response-stream', model: decodePercent(model) };
}

/** Reads an invocation of Claude, or a request for the count of its tokens. */
function readInvocation(bytes: BodyBytes, options: ReadOptions): RequestReading {
  if (options.purpose === 'answer') return readClaude(bytes, options);
  return readCounted(bytes, options.take, (inner) => readClaude(new BodyBytes([inner]), options));
}

/** Reads a body for Claude. Those for other models have other shapes and no `anthropic_version`. */
function readClaude(bytes: BodyBytes, options: ReadOptions): RequestReading {
  const reading = readRequest(bytes, options);
  if (!reading.ok) return reading;
  const { view } = reading;
  if (typeof view.body.anthropic_version !== 'string') return { ok: false, reason: 'unknown_shape' };
  return { ok: true, view: { ...view, ...invocationOf(options.path) } };
}

/** The request to count for: base64 in the place where other requests have their history. */
const readOuter = createBodyReader({
  within: ['input', 'invokeModel'],
  history: 'body',
  readTextHistory: (text) => text,
  tools: 'tools',
  readTools: toolListReader((definition) => entryFacts(definition, undefined, false)),
});

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads the request within a request for its token count: `{"input":{"invokeModel":{"body":"…"}}}`, where
 * `body` is the request's bytes in base64.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelTokensRequest.html
 */
function readCounted(
  bytes: BodyBytes,
  take: ((bytes: number) => boolean) | undefined,
  readInner: (bytes: Uint8Array) => RequestReading,
): RequestReading {
  const outer = readOuter(bytes, { take });
  if (!outer.ok) return outer;
  const { history, spans, text } = outer.request;
  const [body] = history;
  if (typeof body !== 'string' || !BASE64.test(body)) return { ok: false, reason: 'unknown_shape' };
  if (take?.(body.length) === false) return { ok: false, reason: 'short_of_memory' };
  const reading = readInner(Buffer.from(body, 'base64'));
  if (!reading.ok) return reading;
  const { start, end } = spans.history[0]!;
  const wrapped: WrappedText = { before: text.slice(0, start), after: text.slice(end) };
  return { ok: true, view: { ...reading.view, bytes, wrapped } };
}

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

  override strayText(event: StreamEvent): string | undefined {
    if (event.isError) return undefined;
    const said = fromChunk(event);
    return said === undefined ? event.data : super.strayText(said);
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
  #withMetrics({ metrics }: InvocationState, event: WireEvent): WireEvent {
    if (event.kind !== 'event' || metrics.length < 2 || !event.data.includes(METRICS)) return event;
    const joined = metrics.reduce((earlier, later) => shownCounts(earlier, later));
    const { firstByteLatency } = metrics[0]!;
    const shown = { ...joined, ...(firstByteLatency !== undefined && { firstByteLatency }) };
    return { ...event, data: withMembers(event.data, { [METRICS]: JSON.stringify(shown) }) };
  }
}

function metricsIn(data: string): JsonObject | undefined {
  const metrics = data.includes(METRICS) ? parseObject(data)?.[METRICS] : undefined;
  return isJsonObject(metrics) ? metrics : undefined;
}

/** Wraps an event of the Messages API in a frame of this service: base64 in a JSON object. */
function toChunk(data: string): StreamEvent {
  return {
    kind: 'event',
    name: 'chunk',
    data: JSON.stringify({ bytes: Buffer.from(data).toString('base64') }),
  };
}

/**
 * Returns the Messages event in a frame; undefined for a frame without one, or with one that is too large to
 * read.
 */
const fromChunk = rememberBy((frame: StreamEvent): StreamEvent | undefined => {
  const data = textOfChunk(frame);
  if (data === undefined || !isReadable(data)) return undefined;
  return { kind: 'event', name: 'chunk', data, source: frame.source };
});

/** Returns the text in a frame; undefined for a frame without bytes. */
function textOfChunk({ data }: StreamEvent): string | undefined {
  const chunk = parseJson(data);
  const bytes = isJsonObject(chunk) ? chunk.bytes : undefined;
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('utf8') : undefined;
}
