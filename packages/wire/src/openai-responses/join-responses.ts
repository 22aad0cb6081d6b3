import type { MemberChanges } from '@winnow/core';
import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView, Usage } from '../format/view.ts';
import type { StreamEvent } from '../framing/framing.ts';
import {
  type EnvelopeExchange,
  EnvelopeReducer,
  type EventKind,
  type EventPlace,
} from '../joining/envelope-reducer.ts';
import { type EnvelopeState, openerOf, saysNothing } from '../joining/envelope-state.ts';
import { echoRestorer, type RestoreEcho } from '../joining/hide-mentions.ts';
import { errorIn, ownError } from '../joining/part-state.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { RoundJoiner } from '../joining/round-joiner.ts';
import { plainCounts, sumCounts, toUsage } from '../joining/rounds-usage.ts';
import { memberOf, memberTexts, parseObject, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, parseJson } from '../json/json-value.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { openai } from '../vendors/openai.ts';
import {
  ENDS,
  eventsOfWhole,
  type ItemKinds,
  itemKinds,
  RoundReader,
  STARTS,
  withDeclaredItem,
  withDeclaredOutput,
  withPlace,
} from './read-round.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, keep) => {
  const kinds = itemKinds(view, plan);
  const echo = restoreEcho(view, plan);
  const restore = (response: string) => withDeclaredOutput(echo(response), kinds.isLone);
  const reducer = new ResponsesReducer({ view, plan, keep, restore }, kinds);
  return new RoundJoiner(reducer, reducer.start(view, plainCounts(countTokens)));
};

type State = EnvelopeState<RoundReader>;

class ResponsesReducer extends EnvelopeReducer<RoundReader> {
  protected readonly names = {
    envelope: 'response',
    parts: 'output',
    index: 'output_index',
    sequence: 'sequence_number',
    ends: ENDS,
  };
  protected readonly typeKey = 'type';
  protected readonly eventsOfWhole = eventsOfWhole;
  protected readonly shows = shows;
  readonly #kinds: ItemKinds;

  constructor(exchange: EnvelopeExchange, kinds: ItemKinds) {
    super(exchange);
    this.#kinds = kinds;
  }

  protected newReader(): RoundReader {
    return new RoundReader(this.#kinds, this.keep);
  }

  protected isKnown({ type }: ReadEvent): boolean {
    return type.startsWith('response.') || type === 'keepalive';
  }

  protected kindOf(read: ReadEvent | undefined): EventKind {
    if (read === undefined) return 'unknown';
    if (STARTS.has(read.type)) return 'start';
    return ENDS.has(read.type) || read.type === 'error' ? 'end' : 'part';
  }

  protected write(_: State, read: ReadEvent, place: EventPlace): string {
    return withDeclaredItem(withPlace(read, place), read.body.item, this.#kinds.isLone);
  }

  protected joinedMembers(state: State, body: string, items: readonly string[] | undefined): MemberChanges {
    const { readers } = state;
    const created = memberOf(openerOf(state)?.start ?? '{}', 'created_at');
    const hasCreated = readers.length > 1 && memberOf(body, 'created_at') !== undefined;
    const hidden = new Set(readers.slice(0, -1).flatMap((reader) => reader.itemIds));
    const inputs = withoutHiddenInputs(body, hidden);
    const toolUsage = readers.length === 1 ? [] : readers.flatMap((reader) => toolUsageOf(reader));
    return {
      ...(hasCreated && created !== undefined && { created_at: created }),
      ...(toolUsage.length > 0 && { tool_usage: JSON.stringify(toolUsage.reduce(sumCounts)) }),
      ...(inputs !== undefined && { input_transformations: inputs }),
      ...(items !== undefined && outputText(body, items)),
    };
  }

  protected writeStart(start = NO_RESPONSE, sequence: number): StreamEvent {
    return toEvent('response.created', sequence, start);
  }

  /**
   * Returns the end of a failed stream. Clients that read to the end of a response do not accept a bare error
   * as the end.
   */
  protected writeFailure(state: State, failure: RoundFailure, hasSent: boolean): readonly StreamEvent[] {
    const { reader, sequence } = state;
    if (hasSent && reader.hasFailed) return [];
    const error = hasSent ? reader.error!.data : failure.refusal?.body;
    const { message } = ownError(failure, this.hidden);
    const response = failedResponse(this.startOf(state), error, message, this.hidden);
    return [toEvent('response.failed', sequence, response)];
  }

  protected errorBodies(failure: RoundFailure) {
    return { own: openai.errorBody(ownError(failure, this.hidden)), sent: errorIn(failure.refusal?.body) };
  }
}

function toEvent(name: string, sequence: number, response: string): StreamEvent {
  return {
    kind: 'event',
    name,
    data: `{"type":"${name}","sequence_number":${sequence},"response":${response}}`,
  };
}

function toolUsageOf({ end }: RoundReader): readonly JsonObject[] {
  const response = end?.body.response;
  const usage = isJsonObject(response) ? response.tool_usage : undefined;
  return isJsonObject(usage) ? [usage] : [];
}

/** Returns the text of all messages, which some servers repeat in a member of the response. */
function outputText(body: string, items: readonly string[]): { readonly output_text?: string } {
  if (memberOf(body, 'output_text') === undefined) return {};
  const parts = items.flatMap((item) => objectsIn(parseObject(item)?.content));
  const texts = parts.filter(({ type }) => type === 'output_text').map(({ text }) => text);
  return { output_text: JSON.stringify(texts.filter((text) => typeof text === 'string').join('')) };
}

/** Returns the restorer for responses to a request that was edited by this plan. */
export function restoreEcho(view: RequestView, plan: Plan): RestoreEcho {
  const restore = echoRestorer(view, plan, {
    // A response that continues no other has null here, whatever the request says.
    own: typeof view.body.previous_response_id === 'string' ? ['previous_response_id'] : [],
    kept: ['output', 'error', 'id', 'tools', 'output_text'],
  });
  const own = JSON.stringify(view.body.tool_choice ?? 'auto');
  return (response) => {
    const restored = restore(response);
    // A last round forbids calls; no other one does so of itself.
    const isForbidding = memberOf(restored, 'tool_choice') === '"none"';
    return isForbidding ? withMembers(restored, { tool_choice: own }) : restored;
  };
}

/**
 * Returns the input transformations of a response without those of items that the client does not know;
 * undefined when all stay.
 */
function withoutHiddenInputs(response: string, hiddenIds: ReadonlySet<string>): string | undefined {
  if (hiddenIds.size === 0 || memberOf(response, 'input_transformations') === undefined) return undefined;
  const all = memberTexts(response, 'input_transformations');
  const kept = all.filter((entry) => {
    const read = parseObject(entry);
    return read === undefined || !hiddenIds.has(String(read.id));
  });
  return kept.length === all.length ? undefined : `[${kept.join(',')}]`;
}

/**
 * Returns the response of a failed stream, as JSON: the response that began, with the status `failed`.
 * `error` is the upstream's error as JSON, if any. An error that names a hidden tool or has an unknown shape
 * is replaced.
 */
function failedResponse(
  start: string | undefined,
  error: string | undefined,
  message: string,
  hidden: HiddenNames,
): string {
  const read = error === undefined ? undefined : errorObject(parseJson(error));
  const isOurs = read === undefined || hidden.areIn(error!);
  const shown = isOurs
    ? { code: 'server_error', message }
    : { code: read.code ?? read.type ?? 'server_error', message: read.message ?? message };
  return withMembers(start ?? NO_RESPONSE, { status: '"failed"', error: JSON.stringify(shown) });
}

/** A response for an upstream that failed before the beginning of its own. */
const NO_RESPONSE = '{"id":"resp_none","object":"response","output":[]}';

/** Returns the error in a body or an event; some nest it, some do not. */
function errorObject(body: unknown): JsonObject | undefined {
  if (!isJsonObject(body)) return undefined;
  if (isJsonObject(body.error)) return body.error;
  return typeof body.message === 'string' ? { ...body, type: undefined } : undefined;
}

/** Types of events that only close earlier ones. */
const CLOSING = /\.done$/;

/** Whether the client sees content in an event between start and end. An unknown event may show anything. */
function shows({ type, body }: ReadEvent, isOfItem: boolean): boolean {
  if (type === 'keepalive') return false;
  if (typeof body.delta === 'string') return body.delta !== '';
  if (isJsonObject(body.item)) return !saysNothing(body.item, QUIET);
  if (isJsonObject(body.part)) return Boolean(body.part.text);
  return !isOfItem || !CLOSING.test(type);
}

/** Types of items without content at their start: messages, and reasoning that the client does not see. */
const QUIET: ReadonlySet<unknown> = new Set(['message', 'reasoning']);

/**
 * Counts the tokens of a usage. Cache reads and writes are part of the input's count.
 *
 * Source: https://developers.openai.com/api/docs/guides/prompt-caching
 */
export function countTokens(usage: JsonObject): Usage {
  const details = isJsonObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  return toUsage({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cachedInput: details.cached_tokens,
    cacheWrite: details.cache_write_tokens,
  });
}
