import type { ThinkingReader } from '../format/capabilities.ts';
import type { RequestView } from '../format/view.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { BINDING_MODELS } from './binding-models.ts';
import { type BlockDialect, withoutBlocks } from './block-turns.ts';

/** Reads the thinking in requests of a format of blocks. */
export function blockThinking({
  readBlocks,
  callOf,
  isThinking,
  keepsThinking,
  askedThinking,
}: BlockDialect): ThinkingReader {
  const messagesOf = ({ turns, history }: RequestView) =>
    turns.map(({ position }) => readBlocks(history[position]));
  return {
    bindingModels: BINDING_MODELS,
    isThinking: (view) => {
      const asked = askedThinking(view.body);
      const type = isJsonObject(asked) ? asked.type : undefined;
      if (type === 'enabled' || type === 'adaptive') return true;
      return messagesOf(view).some((blocks) => blocks.some(isThinking));
    },
    // The client has one message of several rounds. Models that bind their thinking refuse any block of it, and of what follows; the others refuse
    // the second block of one message, as they know nothing of the turns that stood between the two.
    holdsThinking: (view) => {
      const fewest = keepsThinking(view) ? 2 : 1;
      return messagesOf(view).some((blocks) => blocks.filter(isThinking).length >= fewest);
    },
    // A message in which the model thinks twice is what a client has made of several rounds. And with deferred tools a model begins with one that it
    // sees: a conversation whose first call is of a deferred one has begun without us.
    hasLostRounds: (view, { defer }) => {
      const messages = messagesOf(view);
      if (messages.some((blocks) => blocks.filter(isThinking).length > 1)) return true;
      const calls = messages.map((blocks) => blocks.flatMap((block) => callOf(block) ?? []));
      const first = calls.find((those) => those.length > 0);
      const deferred = new Set(defer);
      return first !== undefined && !first.some(({ name }) => deferred.has(name));
    },
  };
}

/**
 * The assistant's message without its thinking, but for the first block where that must stay: there the provider insists on one, and asks of
 * it only that nothing stands before it. A message that says nothing else stays as it is.
 */
export function dropThinking(
  message: string,
  view: RequestView,
  { readBlocks, isThinking, keepsThinking }: BlockDialect,
): string {
  let mayStay = keepsThinking(view);
  const spoken = withoutBlocks(message, (block) => {
    const isGone = isThinking(block) && !mayStay;
    mayStay &&= !isThinking(block);
    return isGone;
  });
  return readBlocks(JSON.parse(spoken)).length === 0 ? message : spoken;
}
