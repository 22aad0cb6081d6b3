import type { RequestView, TurnKeys } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type Conversation, keyOfOpening, keysOfNextTurn, keysOfTurns } from '../turns/turn-keys.ts';
import { readBlocks, signatureOf, toolUseOf } from './read-blocks.ts';
import { spokenForm, visibleForm } from './visible-form.ts';

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
      const blocks = readBlocks(message);
      if (role === 'assistant') return saidByAssistant(blocks);
      return role === 'user' ? `user:${blocks.map(saidInBlock).join()}` : undefined;
    },
  }),
);

function marksOf(blocks: readonly JsonObject[]) {
  return {
    callIds: blocks.flatMap((block) => toolUseOf(block)?.toolUseId ?? []),
    signatures: blocks.flatMap((block) => signatureOf(block) ?? []),
  };
}

function saidByAssistant(blocks: readonly JsonObject[]): string {
  return `assistant:${spokenForm(blocks)}`;
}

/** Results of tools count: conversations that read alike but for those are not the same. */
function saidInBlock(block: JsonObject): string {
  return typeof block.text === 'string' ? block.text : visibleForm([block]);
}
