import { parseJson } from '@winnow/core';
import type { CompleteAnswer, CompletePart } from '../upstream/complete-answer.ts';
import { type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { textOf, writePieces } from '../upstream/read-pieces.ts';
import type { SseEvent, StreamItem } from '../upstream/stream-item.ts';
import { interactionsUsage } from './interactions-usage.ts';
import { signThought } from './thought-seal.ts';

/** Writes the interaction as one body. `body` is the request as the model read it. */
export function writeInteractionWhole(answer: CompleteAnswer, body: JsonObject): JsonObject {
  const { id, ...end } = endOf(answer, body);
  const parts = stepParts(answer);
  return {
    ...(id !== '' && { id }),
    ...end,
    steps: parts.map((part, at) => wholeStep(part, parts, at, body)),
  };
}

/** Writes the interaction as a stream, with events in the provider's order. */
export function* writeInteractionStream(answer: CompleteAnswer, body: JsonObject): Generator<StreamItem> {
  const { id, object, model } = endOf(answer, body);
  const begun = { id, status: 'in_progress', object, model, ...answer.fields };
  yield event('interaction.created', { interaction: begun });
  yield event('interaction.status_update', { interaction_id: id, status: 'in_progress' });
  const parts = stepParts(answer);
  let index = 0;
  for (const part of withFirstThought(answer)) {
    if (!isStepPart(part)) {
      yield part;
      continue;
    }
    yield* writeStep(part, { parts, index, body });
    index += 1;
  }
  yield event('interaction.completed', { interaction: endOf(answer, body) });
  yield { type: 'event', event: 'done', data: '[DONE]' };
}

/** A part of a response that becomes a step. */
type StepPart = Extract<CompletePart, { readonly type: 'text' | 'thinking' | 'call' | 'block' }>;

function isStepPart(part: CompletePart): part is StepPart {
  return part.type === 'text' || part.type === 'thinking' || part.type === 'call' || part.type === 'block';
}

/** Every recorded response begins with a thought, which may consist of a signature alone. */
function withFirstThought({ parts }: CompleteAnswer): readonly CompletePart[] {
  const first = parts.find(isStepPart);
  return first === undefined || first.type === 'thinking'
    ? parts
    : [{ type: 'thinking', pieces: [] }, ...parts];
}

function stepParts(answer: CompleteAnswer): StepPart[] {
  return withFirstThought(answer).filter(isStepPart);
}

interface StepPlace {
  readonly parts: readonly StepPart[];
  readonly index: number;
  readonly body: JsonObject;
}

function* writeStep(part: StepPart, { parts, index, body }: StepPlace): Generator<StreamItem> {
  const start = (step: object) => event('step.start', { index, step });
  const delta = (said: object) => event('step.delta', { index, delta: said });
  switch (part.type) {
    case 'text':
      yield start({ type: 'model_output' });
      yield* writePieces(part.pieces, (text) => delta({ text, type: 'text' }));
      break;
    case 'thinking':
      yield start({ type: 'thought' });
      yield* writePieces(part.pieces, (text) =>
        delta({ type: 'thought_summary', content: { type: 'text', text } }),
      );
      yield delta({ signature: signatureAt(parts, index, body), type: 'thought_signature' });
      break;
    case 'call': {
      const { id, name, fields } = part;
      yield start({ id, signature: '', type: 'function_call', name, arguments: {}, ...fields });
      yield* writePieces(part.pieces, (text) => delta({ arguments: text, type: 'arguments_delta' }));
      break;
    }
    case 'block':
      yield start(part.block);
  }
  yield event('step.stop', { index });
}

function wholeStep(part: StepPart, parts: readonly StepPart[], at: number, body: JsonObject): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'model_output', content: [{ type: 'text', text: textOf(part.pieces) }] };
    case 'thinking': {
      const text = textOf(part.pieces);
      return {
        signature: signatureAt(parts, at, body),
        ...(text !== '' && { summary: [{ type: 'text', text }] }),
        type: 'thought',
      };
    }
    case 'call':
      return callOf(part);
    case 'block':
      return part.block;
  }
}

function callOf({ id, name, pieces, fields }: Extract<StepPart, { type: 'call' }>): JsonObject {
  const text = textOf(pieces);
  return {
    id,
    type: 'function_call',
    name,
    arguments: text === '' ? {} : (parseJson(text) ?? text),
    ...fields,
  };
}

/**
 * Reads lazily: the call after a thought is known by its name and arguments, which no script makes endless.
 */
function signatureAt(parts: readonly StepPart[], at: number, body: JsonObject): string {
  const call = parts.slice(at).find((part) => part.type === 'call');
  return signThought(call?.type === 'call' ? callOf(call) : undefined, objectsOf(body.input));
}

function event(type: string, more: JsonObject): SseEvent {
  return { type: 'event', event: type, data: JSON.stringify({ ...more, event_type: type }) };
}

/** Statuses at the end of a response. A status that the script gives stays as it is. */
const STATUSES: ReadonlyMap<string, string> = new Map([
  ['end', 'completed'],
  ['calls', 'requires_action'],
  ['length', 'incomplete'],
  ['refusal', 'incomplete'],
  ['pause', 'completed'],
]);

function endOf(answer: CompleteAnswer, body: JsonObject) {
  const time = new Date(answer.createdSeconds * 1_000).toISOString().replace('.000', '');
  return {
    id: body.store === false ? '' : answer.id,
    status: STATUSES.get(answer.stop) ?? answer.stop,
    usage: interactionsUsage(answer.usage),
    created: time,
    updated: time,
    service_tier: 'standard',
    object: 'interaction',
    model: answer.model,
    ...answer.fields,
  };
}
