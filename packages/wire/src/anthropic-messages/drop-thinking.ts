import { elementsOf, isJsonObject, memberSpan, splice, textOf } from '../json-splice.ts';
import type { RequestView } from '../view.ts';
import { readBlocks } from './read-blocks.ts';

/**
 * Whether the history holds thinking that the provider may refuse when a turn around it was hidden and is lost.
 *
 * What the client has of several rounds is one message. Models that bind their thinking refuse any block of it, and of what follows;
 * the others refuse the second block of one message, as they know nothing of the turns that stood between the two.
 */
export function holdsThinking(view: RequestView): boolean {
  const fewest = hasBudget(view) ? 2 : 1;
  return view.turns.some(({ position }) => {
    const blocks = readBlocks((view.body.messages as readonly unknown[])[position]);
    return blocks.filter(({ type }) => isThinkingType(type)).length >= fewest;
  });
}

/**
 * The assistant's message without its thinking. With a thinking budget the first block stays: there the provider insists on one, and
 * asks of it only that nothing stands before it. A message that says nothing else stays as it is.
 */
export function dropThinking(message: string, view: RequestView): string {
  const content = memberSpan(message, 0, 'content');
  if (content === undefined || message[content.start] !== '[') return message;
  const blocks = elementsOf(message, content.start).map((span) => textOf(message, span));
  const first = hasBudget(view) ? blocks.findIndex(isThinking) : -1;
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

function isThinkingType(type: unknown): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Such thinking is of models that do not bind it; from the vendor's guide to extended thinking. */
function hasBudget({ body }: RequestView): boolean {
  return isJsonObject(body.thinking) && body.thinking.type === 'enabled';
}
