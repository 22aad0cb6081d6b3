import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberTurns } from '../turns/remember-turns.ts';
import { callsOf, contentText, idsOf } from './read-message.ts';
import { normalForm, visibleMessage } from './visible-message.ts';

/** The turns of Ollama's chat: one assistant message each. */
export const turns = rememberTurns({
  format: 'ollama-chat',
  shownIn: (rounds) => {
    const shown = visibleMessage(rounds.map(({ turn }) => turn));
    return {
      callIds: idsOf(callsOf(shown)),
      signatures: [],
      said: saidBy({ ...shown, role: 'assistant' }),
      visible: normalForm(shown),
    };
  },
  saidIn:
    ({ history }) =>
    (position) => {
      const message = history[position];
      return isJsonObject(message) ? saidBy(message) : undefined;
    },
  fit: ({ history, turns: visible }, index, hidden) => {
    const message = history[visible[index]!.position] as JsonObject;
    return normalForm(message) === hidden.visible ? hidden : undefined;
  },
});

/**
 * Returns the text that identifies a message. Tool results count: conversations that differ only in them are
 * different.
 */
function saidBy(message: JsonObject): string | undefined {
  const { role, tool_name: tool, images } = message;
  if (role === 'system') return undefined;
  if (role === 'assistant') return `assistant:${normalForm(message)}`;
  return JSON.stringify([role, tool, contentText(message), images]);
}
