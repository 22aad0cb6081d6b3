import type { Observation, RolloutArm, SearchRecord } from '@winnow/core';
import { decodeStream } from '@winnow/service';
import {
  BudgetExceeded,
  eventText,
  type Format,
  framingFor,
  isReadable,
  MalformedFrames,
  type Plan,
  type RequestView,
  readEvents,
} from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { calledTools } from '../records/request-facts.ts';
import { resolveSearches } from '../search/resolve-searches.ts';
import { type Searches, toSearchable } from '../search/search.ts';
import { keepIn, type MemoryHold } from '../sessions/request-memory.ts';
import { bypass, isBypass } from '../strategies/bypass.ts';
import type { ReadyStrategy } from '../strategies/strategy.ts';
import { headerValue } from '../upstream/headers.ts';
import { isGood, isTransportError } from '../upstream/proxy-error.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { UpstreamBody } from '../upstream/upstream-body.ts';
import type { Ending, ExchangeEffects } from './exchange.ts';
import type { SendableRequest } from './receive-request.ts';

/** A request with a plan that is not carried out: the upstream gets the client's own bytes. */
export interface ObservedExchange extends SendableRequest {
  readonly arm: RolloutArm;
  /** Undefined if the request could not be read. */
  readonly view: RequestView | undefined;
  readonly plan: Plan;
}

/** Context for observing. */
export interface ObserveContext {
  readonly settings: Settings;
  readonly searches: Searches;
  readonly strategy: ReadyStrategy;
  readonly effects: Pick<ExchangeEffects, 'now'>;
  readonly onDefect: (error: unknown) => void;
  /** Aborts when the proxy stops waiting for the last observations. */
  readonly stopping: AbortSignal;
}

/**
 * Sends a request unchanged, passes the response on, and then reports what its plan would have done: the tools that
 * a search for the last user message finds, and in `shadow` those that the model called without it. The client waits
 * for none of this.
 *
 * @throws ProxyError with `upstream_unreachable` if there is no response. Rejects when the client leaves.
 */
export async function forwardObserved(observed: ObservedExchange, context: ObserveContext): Promise<Ending> {
  const { body, sender, tell, arm, view, plan } = observed;
  const isApplicable = view !== undefined && !isBypass(plan);
  const reader = isApplicable && arm === 'shadow' ? new CallReader(observed, view) : undefined;
  try {
    return await sender.forwardOriginal(body, (response) => reader?.follow(response));
  } finally {
    tell({ kind: 'delivered' });
    const status = plan.reason === 'plan_failed' ? 'failed' : 'not_applicable';
    const found: Observed = isApplicable
      ? await observeSafely({ ...observed, view, reader }, context)
      : { observation: { status } };
    tell({ kind: 'observed', ...found });
  }
}

/** A request whose plan would have deferred tools. */
interface DeferringExchange extends ObservedExchange {
  readonly view: RequestView;
  readonly reader: CallReader | undefined;
}

/** The findings about an exchange, and the search that they rest on, if one was made. */
interface Observed {
  readonly observation: Observation;
  readonly search?: SearchRecord | undefined;
}

async function observeSafely(deferring: DeferringExchange, context: ObserveContext): Promise<Observed> {
  try {
    const search = await searchLastMessage(deferring, context);
    const response = await deferring.reader?.result();
    if (context.stopping.aborted) return { observation: { status: 'dropped' } };
    const compared = deferring.arm === 'dark' ? {} : compareWithModel(deferring, { search, response });
    return { observation: { status: 'done', ...compared }, search };
  } catch (error) {
    context.onDefect(error);
    return { observation: { status: 'failed' } };
  }
}

/**
 * Searches the deferred tools for the last user message, as if the model had; returns undefined for a strategy
 * without searches.
 */
async function searchLastMessage(
  { exchange, view, plan }: DeferringExchange,
  { settings, searches, strategy, effects, stopping }: ObserveContext,
): Promise<SearchRecord | undefined> {
  if (strategy.search === undefined) return undefined;
  const call = { id: '', name: settings['tools.search_tool_name'], queries: [view.query] };
  const { records } = await resolveSearches([call], {
    search: searches[strategy.search],
    searchable: toSearchable(view, plan.defer),
    limit: settings['tools.max_search_results'],
    isLimit: false,
    withQueryText: settings['records.query_text'],
    requestId: exchange.head.requestId,
    span: exchange.span,
    now: effects.now,
    // The client has its response, or has left.
    signal: stopping,
  });
  return records[0];
}

/** The findings about a response. */
interface ReadResponse {
  /** Names of the tools that the model called, in order. */
  readonly calledNames: readonly string[];
}

/** Maximum number of decoded bytes to read: far above any response, far below a harmful size. */
const DECODED_BYTES = 64 * 1024 * 1024;

/** The model saw all tools. */
const NOTHING_HIDDEN = { defer: [], load: [] };

/** Reads the model's calls from a response while it passes. */
class CallReader {
  readonly #observed: ObservedExchange;
  readonly #view: RequestView;
  /** The bytes that passed and are not read yet. */
  readonly #passed = new UpstreamBody({ pause() {}, resume() {}, abort() {} });
  #reading: Promise<ReadResponse | undefined> | undefined;

  constructor(observed: ObservedExchange, view: RequestView) {
    this.#observed = observed;
    this.#view = view;
  }

  /** Follows a response that is about to flow, if it is a successful one. */
  follow(response: UpstreamResponse): void {
    if (!isGood(response)) return;
    const { exchange, hold } = this.#observed;
    response.body.tap((piece) => {
      if (hold.take(piece.length)) this.#passed.push(piece);
      else this.#passed.destroy();
    });
    this.#reading = readCalls({ ...response, body: this.#passed }, exchange.format, this.#view, hold);
    // A defect is reported by `result`.
    this.#reading.catch(() => {});
  }

  /**
   * Returns the findings, once no more bytes will pass; undefined if the response is incomplete, too large to read,
   * or of another format.
   */
  async result(): Promise<ReadResponse | undefined> {
    this.#passed.finish();
    const response = await this.#reading;
    if (response === undefined) return undefined;
    const { tell } = this.#observed;
    tell({ kind: 'called', ...calledTools(this.#view, NOTHING_HIDDEN, response.calledNames) });
    return response;
  }
}

/** Reads the model's tool calls from a response, streamed or not. */
export async function readCalls(
  { headers, body }: Pick<UpstreamResponse, 'headers' | 'body'>,
  format: Pick<Format, 'joining'>,
  view: RequestView,
  hold: MemoryHold,
): Promise<ReadResponse | undefined> {
  const decoded = decodeStream(body, headerValue(headers, 'content-encoding'));
  if (decoded === undefined) return undefined;
  const framing = framingFor(format, view, headerValue(headers, 'content-type'));
  const joiner = format.joining.joinResponses(view, bypass('passthrough'), keepIn(hold));
  try {
    for await (const event of readEvents(upTo(decoded, DECODED_BYTES), framing)) {
      if (isReadable(eventText(event))) joiner.feed(event);
    }
  } catch (error) {
    if (error instanceof BudgetExceeded || error instanceof MalformedFrames) return undefined;
    if (!isTransportError(error)) throw error;
    // The bytes ended early; the joiner knows how much of the response had arrived.
  }
  const end = joiner.endRound();
  if (end.kind === 'failed') return undefined;
  return { calledNames: end.turn.realCalls.map((call) => call.name) };
}

async function* upTo(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > limitBytes) return;
    yield piece;
  }
}

/** The findings of an observation. */
interface Findings {
  /** Undefined for a strategy without searches. */
  readonly search: SearchRecord | undefined;
  /** Undefined without a complete response. */
  readonly response: ReadResponse | undefined;
}

/** Compares the selector's picks with the model's calls. */
function compareWithModel(
  { plan }: DeferringExchange,
  { search, response }: Findings,
): Omit<Observation, 'status'> {
  const isResolved =
    search?.outcome === 'found' || search?.outcome === 'weak' || search?.outcome === 'no_match';
  // A failed search shows everything; without searches, deferred tools are never shown.
  const shown = search && !isResolved ? plan.defer : (search?.names ?? []);
  const isLoaded = new Set(plan.load);
  const hidden = plan.defer.filter((name) => !isLoaded.has(name));
  return {
    ...(response && judgeCalls({ calledNames: response.calledNames, deferred: hidden, shown })),
  };
}

/** A model's calls with all tools visible, and the tools that it would have been shown. */
interface JudgedCalls {
  /** Names that the model called, in order. */
  readonly calledNames: readonly string[];
  /** Names that would have been deferred. */
  readonly deferred: readonly string[];
  /** Deferred names that the model would have been shown anyway. */
  readonly shown: readonly string[];
}

/** The judgement of the calls: fields of an observation. */
interface Judgement {
  readonly called: string[];
  readonly wouldHaveMissed: string[];
}

/**
 * Returns the deferred tools that the model called, and those among them that it would not have been shown;
 * each once, in the order of the calls.
 */
export function judgeCalls({ calledNames, deferred, shown }: JudgedCalls): Judgement {
  const isDeferred = new Set(deferred);
  const isShown = new Set(shown);
  const called = [...new Set(calledNames)].filter((name) => isDeferred.has(name));
  return { called, wouldHaveMissed: called.filter((name) => !isShown.has(name)) };
}
