import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { StreamEvent } from '../framing/wire-event.ts';
import {
  type EnvelopeExchange,
  EnvelopeReducer,
  type EventKind,
  type EventPlace,
} from '../joining/envelope-reducer.ts';
import { type EnvelopeState, openerOf } from '../joining/envelope-state.ts';
import { errorIn, ownError } from '../joining/failed-body.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { RoundJoiner } from '../joining/round-joiner.ts';
import { plainCounts } from '../joining/rounds-usage.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { memberOf, parseObject } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, type MemberChanges, objectsIn } from '../json/json-splice.ts';
import { openai } from '../vendors/openai.ts';
import { countTokens } from './count-tokens.ts';
import { failedResponse, NO_RESPONSE } from './failed-response.ts';
import { withDeclaredItem, withDeclaredOutput, withPlace } from './place-item.ts';
import { ENDS, eventsOfWhole, STARTS } from './response-events.ts';
import { restoreEcho, withoutHiddenInputs } from './restore-echo.ts';
import { RoundReader } from './round-reader.ts';
import { type ItemKinds, itemKinds } from './search-items.ts';
import { shows } from './shows.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  const kinds = itemKinds(view, plan);
  const echo = restoreEcho(view, plan);
  const restore = (response: string) => withDeclaredOutput(echo(response), kinds.isLone);
  const reducer = new ResponsesReducer({ view, plan, keep, restore }, kinds);
  return new RoundJoiner(reducer, reducer.start(view, plainCounts(countTokens), usageShown));
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
  protected writeFailure(
    state: State,
    { refusal, message }: RoundFailure,
    hasSent: boolean,
  ): readonly StreamEvent[] {
    const { reader, sequence } = state;
    if (hasSent && reader.hasFailed) return [];
    const error = hasSent ? reader.error!.data : refusal?.body;
    const response = failedResponse(this.startOf(state), error, message, this.hidden);
    return [toEvent('response.failed', sequence, response)];
  }

  protected errorBodies(failure: RoundFailure) {
    return { own: openai.errorBody(ownError(failure)), sent: errorIn(failure.refusal?.body) };
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
