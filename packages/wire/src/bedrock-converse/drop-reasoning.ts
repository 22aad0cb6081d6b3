import type { Plan, RequestView } from '../format/view.ts';
import {
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  splice,
  textOf,
} from '../json/json-splice.ts';
import { isBindingModel } from '../turns/binding-models.ts';
import { isReasoning, readBlocks, toolUseOf } from './read-blocks.ts';

/**
 * Whether the history holds thinking that the provider may refuse when a turn around it was hidden and is lost: any of it where it is bound, and else
 * the second block of a message, between which and the first the hidden turn stood.
 */
export function holdsReasoning(view: RequestView): boolean {
  const fewest = isBound(view) ? 1 : 2;
  return view.turns.some(
    ({ position }) => readBlocks(view.history[position]).filter(isReasoning).length >= fewest,
  );
}

/**
 * Whether a history reads like one of which hidden turns are lost: the model thinks twice within a message, or its first call is none of a deferred
 * tool, as a conversation's is that has begun without us.
 */
export function hasLostRounds({ turns, history }: RequestView, { defer }: Plan): boolean {
  const messages = turns.map(({ position }) => readBlocks(history[position]));
  if (messages.some((blocks) => blocks.filter(isReasoning).length > 1)) return true;
  const first = messages.map((blocks) => blocks.flatMap((block) => toolUseOf(block) ?? []));
  const calls = first.find((those) => those.length > 0);
  const deferred = new Set(defer);
  return calls !== undefined && !calls.some(({ name }) => deferred.has(name));
}

/** Whether thinking is on: the request asks for it, in the words of its model, or its history holds some. */
export function isReasoningOn({ body, turns, history }: RequestView): boolean {
  const more = body.additionalModelRequestFields;
  const asked = isJsonObject(more) ? (more.thinking ?? more.reasoning_config) : undefined;
  const type = isJsonObject(asked) ? asked.type : undefined;
  if (type === 'enabled' || type === 'adaptive') return true;
  return turns.some(({ position }) => readBlocks(history[position]).some(isReasoning));
}

/**
 * The assistant's message without its thinking, but for the first block where thinking is not bound: some models insist on one. A message that says nothing
 * else stays as it is.
 */
export function dropReasoning(message: string, view: RequestView): string {
  const content = memberSpan(message, 0, 'content');
  if (content === undefined) return message;
  const blocks = elementsOf(message, content.start).map((span) => textOf(message, span));
  const isThought = blocks.map((block) => isReasoning(asObject(block)));
  const first = isBound(view) ? -1 : isThought.indexOf(true);
  const kept = blocks.filter((_, at) => at === first || !isThought[at]);
  return kept.length === 0 || kept.length === blocks.length
    ? message
    : splice(message, [{ ...content, text: `[${kept.join(',')}]` }]);
}

function asObject(block: string): JsonObject {
  const value: unknown = JSON.parse(block);
  return isJsonObject(value) ? value : {};
}

function isBound({ model }: RequestView): boolean {
  return isBindingModel(model);
}
