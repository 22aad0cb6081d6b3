import type { RequestView, TurnKeys } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type Conversation, keyOfOpening, keysOfNextTurn, keysOfTurns } from '../turns/turn-keys.ts';
import { callsOf, contentText, idsOf } from './read-message.ts';
import { normalForm } from './visible-message.ts';

/** The keys of each visible turn. */
export function historyKeys(view: RequestView): TurnKeys[] {
  return keysOfTurns(conversationOf(view));
}

/** The key of what was said before the first turn of the assistant. */
export function openingKey(view: RequestView): string {
  return keyOfOpening(conversationOf(view), view.turns[0]?.position ?? view.history.length);
}

/** The keys of a message of the assistant that follows the history. */
export function keysOfShown(view: RequestView, shown: JsonObject): TurnKeys {
  const said = saidBy({ ...shown, role: 'assistant' });
  return keysOfNextTurn(conversationOf(view), { callIds: idsOf(callsOf(shown)), signatures: [] }, said);
}

const conversationOf = rememberBy(
  ({ history, turns, toolSection }: RequestView): Conversation => ({
    turns: turns.map(({ position, callIds }) => ({ position, callIds, signatures: [] })),
    length: history.length,
    toolSection,
    saidAt: (position) => {
      const message = history[position];
      return isJsonObject(message) ? saidBy(message) : undefined;
    },
  }),
);

/** Results of tools count: conversations that read alike but for those are not the same. */
function saidBy(message: JsonObject): string | undefined {
  const { role, tool_name: tool, images } = message;
  if (role === 'system') return undefined;
  if (role === 'assistant') return `assistant:${normalForm(message)}`;
  return JSON.stringify([role, tool, contentText(message), images]);
}
