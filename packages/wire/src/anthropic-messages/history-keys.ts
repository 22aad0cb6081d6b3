import type { RequestView, TurnKeys } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type Conversation, keyOfOpening, keysOfNextTurn, keysOfTurns } from '../turns/turn-keys.ts';
import { isThinkingType } from './drop-thinking.ts';
import { isToolUse, readBlocks } from './read-blocks.ts';
import { visibleForm } from './visible-form.ts';

/** The keys of each visible turn. */
export function historyKeys(view: RequestView): TurnKeys[] {
  return keysOfTurns(conversationOf(view));
}

/** The key of what was said before the first turn of the assistant. */
export function openingKey(view: RequestView): string {
  return keyOfOpening(conversationOf(view), view.turns[0]?.position ?? view.history.length);
}

/** The keys of a turn of these blocks that follows the history. */
export function keysOfShown(view: RequestView, shown: readonly JsonObject[]): TurnKeys {
  return keysOfNextTurn(conversationOf(view), marksOf(shown), saidByAssistant(shown));
}

const conversationOf = rememberBy(
  ({ history, turns, toolSection }: RequestView): Conversation => ({
    turns: turns.map(({ position }) => ({ position, ...marksOf(readBlocks(history[position])) })),
    length: history.length,
    toolSection,
    saidAt: (position) => {
      const message = history[position];
      const role = isJsonObject(message) ? message.role : undefined;
      if (role === 'assistant') return saidByAssistant(readBlocks(message));
      return role === 'user' ? saidByUser(readBlocks(message)) : undefined;
    },
  }),
);

function marksOf(blocks: readonly JsonObject[]) {
  return {
    callIds: blocks.filter(isToolUse).map(({ id }) => id),
    signatures: blocks.flatMap((block) => signatureOf(block) ?? []),
  };
}

function signatureOf({ type, signature, data }: JsonObject): string | undefined {
  const signs = type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined;
  return typeof signs === 'string' && signs !== '' ? signs : undefined;
}

function saidByAssistant(blocks: readonly JsonObject[]): string {
  return `assistant:${visibleForm(blocks.filter(({ type }) => !isThinkingType(type)))}`;
}

/**
 * Results of tools count: conversations that read alike but for those are not the same. What a client wrote itself it sends again as it was, but
 * for cache marks and a string in place of a block. Histories are megabytes of it.
 */
function saidByUser(blocks: readonly JsonObject[]): string {
  return `user:${blocks.map(saidInBlock).join()}`;
}

function saidInBlock(block: JsonObject): string {
  const { type, text, tool_use_id: callId, content } = block;
  if (type === 'text') return String(text);
  if (type === 'tool_result' && typeof content === 'string') return `${callId}:${content}`;
  return visibleForm([block]);
}
