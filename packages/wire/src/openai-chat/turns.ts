import { type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';
import { messageTurns } from '../turns/message-turns.ts';
import { callsOf, contentText } from './read-message.ts';
import { normalForm, visibleMessage } from './visible-message.ts';

/** The turns of Chat Completions. */
export const turns = messageTurns({
  format: 'openai-chat',
  visibleMessage,
  callIdsOf: (message) => callsOf(message).flatMap(({ id }) => textOrNone(id) ?? []),
  normalForm,
  saidBy,
});

/**
 * Returns the text that identifies a message. Tool results count: conversations that differ only in them are
 * different.
 */
function saidBy(message: JsonObject): string | undefined {
  const { role, content, tool_call_id: callId } = message;
  if (role === 'system' || role === 'developer') return undefined;
  if (role === 'assistant') return `assistant:${normalForm(message)}`;
  const other = objectsIn(content).filter(({ text }) => typeof text !== 'string');
  if (other.length === 0) return `${role}:${callId}:${contentText(content)}`;
  return JSON.stringify([role, callId, contentText(content), other]);
}
