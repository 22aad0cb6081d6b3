import type { Plan, RequestView } from '../format/view.ts';
import { elementsOf, isJsonObject, memberSpan, splice, textOf } from '../json/json-splice.ts';
import { isBindingModel } from '../turns/binding-models.ts';
import { isToolUse, readBlocks } from './read-blocks.ts';

/**
 * Whether the history holds thinking that the provider may refuse when a turn around it was hidden and is lost.
 *
 * What the client has of several rounds is one message. Models that bind their thinking refuse any block of it, and of what follows;
 * the others refuse the second block of one message, as they know nothing of the turns that stood between the two.
 */
export function holdsThinking(view: RequestView): boolean {
  const fewest = keepsFirst(view) ? 2 : 1;
  return view.turns.some(({ position }) => {
    const blocks = readBlocks(view.history[position]);
    return blocks.filter(({ type }) => isThinkingType(type)).length >= fewest;
  });
}

/**
 * Whether a history reads like one of which hidden turns are lost.
 *
 * A message in which the model thinks twice is what a client has made of several rounds. And with deferred tools a model begins with one that it
 * sees: a conversation whose first call is of a deferred one has begun without us.
 */
export function hasLostRounds({ turns, history }: RequestView, { defer }: Plan): boolean {
  const messages = turns.map(({ position }) => readBlocks(history[position]));
  if (messages.some((blocks) => blocks.filter(({ type }) => isThinkingType(type)).length > 1)) return true;
  const first = messages.find((blocks) => blocks.some(isToolUse));
  const deferred = new Set(defer);
  return first !== undefined && !first.some((block) => isToolUse(block) && deferred.has(block.name));
}

/**
 * The assistant's message without its thinking. With a thinking budget the first block stays where thinking is not bound: there the provider
 * insists on one, and asks of it only that nothing stands before it. A message that says nothing else stays as it is.
 */
export function dropThinking(message: string, view: RequestView): string {
  const content = memberSpan(message, 0, 'content');
  if (content === undefined || message[content.start] !== '[') return message;
  const blocks = elementsOf(message, content.start).map((span) => textOf(message, span));
  const first = keepsFirst(view) ? blocks.findIndex(isThinking) : -1;
  const kept = blocks.filter((block, position) => position === first || !isThinking(block));
  return kept.length === 0 || kept.length === blocks.length
    ? message
    : splice(message, [{ ...content, text: `[${kept.join(',')}]` }]);
}

/** Whether the text of a block is one of thinking. */
export function isThinking(block: string): boolean {
  const { type } = JSON.parse(block) as { type?: unknown };
  return isThinkingType(type);
}

/** Whether a block of this type is thinking. */
export function isThinkingType(type: unknown): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Whether thinking is on: the request asks for it, or its history holds some. */
export function isThinkingOn({ body, turns, history }: RequestView): boolean {
  const type = isJsonObject(body.thinking) ? body.thinking.type : undefined;
  if (type === 'enabled' || type === 'adaptive') return true;
  return turns.some(({ position }) =>
    readBlocks(history[position]).some((block) => isThinkingType(block.type)),
  );
}

/**
 * Whether a request without the thinking of earlier turns may not think itself: with a budget, a turn that is going on has to begin with
 * thinking, and where thinking is bound there is none left that would be taken.
 */
export function mustNotThink(view: RequestView): boolean {
  if (!hasBudget(view) || keepsFirst(view)) return false;
  return readBlocks(view.history.at(-1)).some(({ type }) => type === 'tool_result');
}

function keepsFirst(view: RequestView): boolean {
  return hasBudget(view) && !isBindingModel(view.model);
}

/** From the vendor's guide to extended thinking. */
function hasBudget({ body }: RequestView): boolean {
  return isJsonObject(body.thinking) && body.thinking.type === 'enabled';
}
