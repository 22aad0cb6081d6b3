import type { JsonObject } from '../json/json-value.ts';
import { messageTurns } from '../turns/message-turns.ts';
import { callsOf, contentText, idsOf, normalForm, visibleMessage } from './read-request.ts';

/** The turns of Ollama's chat. */
export const turns = messageTurns({
  format: 'ollama-chat',
  visibleMessage,
  callIdsOf: (message) => idsOf(callsOf(message)),
  normalForm,
  saidBy,
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
