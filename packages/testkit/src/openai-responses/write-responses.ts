import { parseJson } from '@winnow/core';
import type { CompleteAnswer } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { textOf } from '../upstream/read-pieces.ts';
import type { SseEvent, StreamItem } from '../upstream/stream-item.ts';
import { hashPrefix, sealReasoning } from './reasoning-seal.ts';
import { type ItemStart, isItemPart, itemsOfAnswer } from './responses-items.ts';
import { responsesUsage } from './responses-usage.ts';

/** Writes the response as one body. `body` is the request as the model read it. */
export function writeResponsesWhole(answer: CompleteAnswer, body: JsonObject): JsonObject {
  const starts = itemsOfAnswer(answer, body);
  const output = starts.map((start, at) => wholeItem(start, { answer, body, starts, at }, 'completed'));
  return endOf(answer, body, output);
}

/** Writes the response as a stream, with events in OpenAI's order. */
export function* writeResponsesStream(answer: CompleteAnswer, body: JsonObject): Generator<StreamItem> {
  let number = 0;
  const event = (type: string, more: JsonObject): SseEvent => ({
    type: 'event',
    event: type,
    data: JSON.stringify({ type, sequence_number: number++, ...more }),
  });
  const begun = responseOf(answer, body, { status: 'in_progress', output: [] });
  yield event('response.created', { response: begun });
  yield event('response.in_progress', { response: begun });
  const starts = itemsOfAnswer(answer, body);
  let at = 0;
  for (const part of answer.parts) {
    if (!isItemPart(part)) {
      yield part;
      continue;
    }
    yield* writeItem(starts[at]!, { answer, body, starts, at }, event);
    at += 1;
  }
  const output = starts.map((start, place) =>
    wholeItem(start, { answer, body, starts, at: place }, 'completed'),
  );
  const end = endOf(answer, body, output);
  yield event(`response.${end.status}`, { response: end });
}

interface ItemPlace {
  readonly answer: CompleteAnswer;
  readonly body: JsonObject;
  readonly starts: readonly ItemStart[];
  readonly at: number;
}

type WriteEvent = (type: string, more: JsonObject) => SseEvent;

function* writeItem(start: ItemStart, place: ItemPlace, event: WriteEvent): Generator<StreamItem> {
  const output_index = place.at;
  const at = { item_id: start.id, output_index };
  const done = wholeItem(start, place, 'done');
  yield event('response.output_item.added', { output_index, item: startOf(start, done, place) });
  const { part } = start;
  if (start.kind === 'message' && part.type === 'text') {
    const where = { ...at, content_index: 0 };
    yield event('response.content_part.added', { ...where, part: textPart('') });
    for (const piece of part.pieces) {
      yield typeof piece === 'string'
        ? event('response.output_text.delta', { ...where, delta: piece, logprobs: [] })
        : piece;
    }
    const text = textOf(part.pieces);
    yield event('response.output_text.done', { ...where, text, logprobs: [] });
    yield event('response.content_part.done', { ...where, part: textPart(text) });
  } else if (start.kind === 'reasoning' && part.type === 'thinking') {
    const where = { ...at, summary_index: 0 };
    yield event('response.reasoning_summary_part.added', {
      ...where,
      part: { type: 'summary_text', text: '' },
    });
    for (const piece of part.pieces) {
      yield typeof piece === 'string'
        ? event('response.reasoning_summary_text.delta', { ...where, delta: piece })
        : piece;
    }
    const text = textOf(part.pieces);
    yield event('response.reasoning_summary_text.done', { ...where, text });
    yield event('response.reasoning_summary_part.done', { ...where, part: { type: 'summary_text', text } });
  } else if (start.kind === 'function_call' && part.type === 'call') {
    for (const piece of part.pieces) {
      yield typeof piece === 'string'
        ? event('response.function_call_arguments.delta', { ...at, delta: piece })
        : piece;
    }
    yield event('response.function_call_arguments.done', { ...at, arguments: textOf(part.pieces) });
  } else if (part.type === 'call') {
    for (const piece of part.pieces) if (typeof piece !== 'string') yield piece;
  }
  yield event('response.output_item.done', { output_index, item: done });
}

/** An item before it has content. A search has a different call id at this point, as recorded. */
function startOf({ kind, id }: ItemStart, done: JsonObject, place: ItemPlace): JsonObject {
  switch (kind) {
    case 'message':
      return { ...done, status: 'in_progress', content: [] };
    case 'reasoning':
      return { ...done, summary: [], encrypted_content: sealReasoning(sealOf(id, place), 'added') };
    case 'function_call':
      return { ...done, status: 'in_progress', arguments: '' };
    case 'tool_search_call':
      return { ...done, status: 'in_progress', arguments: {}, call_id: `${done.call_id}start` };
    case undefined:
      return done;
  }
}

function wholeItem(start: ItemStart, place: ItemPlace, copy: 'done' | 'completed'): JsonObject {
  const { part, kind, id, members } = start;
  const head = { id, type: kind, status: isCut(place) ? 'incomplete' : 'completed', ...members };
  switch (kind) {
    case 'message':
      return { ...head, content: part.type === 'text' ? [textPart(textOf(part.pieces))] : [] };
    case 'reasoning': {
      const summary = part.type === 'thinking' ? [{ type: 'summary_text', text: textOf(part.pieces) }] : [];
      return { id, type: kind, summary, encrypted_content: sealReasoning(sealOf(id, place), copy) };
    }
    case 'function_call':
      return { ...head, arguments: part.type === 'call' ? textOf(part.pieces) : '' };
    case 'tool_search_call':
      return { ...head, arguments: part.type === 'call' ? (parseJson(textOf(part.pieces)) ?? {}) : {} };
    case undefined:
      return members;
  }
}

function isCut({ answer: { stop }, starts, at }: ItemPlace): boolean {
  return stop === 'length' && at === starts.length - 1;
}

function sealOf(id: string, { answer, body, starts, at }: ItemPlace) {
  const next = starts[at + 1];
  const before = starts.slice(0, at).map(({ kind, members }) => ({ type: kind, ...members }));
  return {
    id,
    model: answer.model,
    tenant: String(body[TENANT] ?? ''),
    next: next?.id ?? '',
    nextCall: String(next?.members.call_id ?? ''),
    prefix: hashPrefix(body, [...objectsOf(body.input), ...before]),
  };
}

/** The member of an expanded request that names the client; a real client cannot send it. */
export const TENANT = ' tenant';

function textPart(text: string): JsonObject {
  return { type: 'output_text', annotations: [], logprobs: [], text };
}

function endOf(answer: CompleteAnswer, body: JsonObject, output: readonly JsonObject[]): JsonObject {
  const reason = INCOMPLETE.get(answer.stop);
  return responseOf(answer, body, {
    status: reason === undefined ? 'completed' : 'incomplete',
    completed_at: answer.createdSeconds + 2,
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: responsesUsage(answer.usage),
  });
}

const INCOMPLETE: ReadonlyMap<string, string> = new Map([
  ['length', 'max_output_tokens'],
  ['refusal', 'content_filter'],
]);

/** Members that a response repeats from its request. */
function responseOf(answer: CompleteAnswer, body: JsonObject, more: JsonObject): JsonObject {
  const echoed = isJsonObject(body[SENT]) ? body[SENT] : body;
  return {
    id: answer.id,
    object: 'response',
    created_at: answer.createdSeconds,
    status: 'in_progress',
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: echoed.instructions ?? null,
    model: answer.model,
    previous_response_id: echoed.previous_response_id ?? null,
    store: echoed.store ?? true,
    tool_choice: echoed.tool_choice ?? 'auto',
    tools: echoed.tools ?? [],
    usage: null,
    ...answer.fields,
    ...more,
  };
}

/** The member of an expanded request that holds the original one. */
export const SENT = ' sent';
