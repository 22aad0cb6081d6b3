import type { ThinkingReader } from '../format/capabilities.ts';
import type { RequestView } from '../format/view.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { BINDING_MODELS } from './binding-models.ts';
import { type BlockDialect, withoutBlocks } from './block-turns.ts';

/** Returns the reader of thinking for a format of blocks. */
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
    // The client joins several rounds into one message. Models that bind their thinking refuse any thinking
    // block in it or after it. The others refuse the second thinking block of one message, because the
    // messages between the two are missing.
    holdsThinking: (view) => {
      const fewest = keepsThinking(view) ? 2 : 1;
      return messagesOf(view).some((blocks) => blocks.filter(isThinking).length >= fewest);
    },
    // A message with two thinking blocks is one that a client joined from several rounds. With deferred
    // tools, a model first calls a visible tool. If the first call is of a deferred tool, the conversation
    // began without Winnow.
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
 * Returns the assistant's message without its thinking. The first block stays where the provider requires
 * thinking: it accepts any block that comes first. A message with only thinking stays unchanged.
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
