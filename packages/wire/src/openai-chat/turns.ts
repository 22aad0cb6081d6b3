import type { RequestView } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';
import { rememberTurns } from '../turns/remember-turns.ts';
import { callsOf, contentText } from './read-message.ts';
import { normalForm, visibleMessage } from './visible-message.ts';

/** The turns of Chat Completions: one assistant message each. */
export const turns = rememberTurns({
  format: 'openai-chat',
  shownIn: (rounds) => {
    const shown = visibleMessage(rounds.map(({ turn }) => turn));
    return {
      callIds: callsOf(shown).flatMap(({ id }) => textOrNone(id) ?? []),
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
  fit: (view, index, hidden) => (normalForm(messageAt(view, index)) === hidden.visible ? hidden : undefined),
});

function messageAt({ history, turns }: RequestView, index: number): JsonObject {
  return history[turns[index]!.position] as JsonObject;
}

const INSTRUCTING_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);

/**
 * Returns the text that identifies a message. Tool results count: conversations that differ only in them are
 * different.
 */
function saidBy(message: JsonObject): string | undefined {
  const { role, content, tool_call_id: callId } = message;
  if (INSTRUCTING_ROLES.has(role)) return undefined;
  if (role === 'assistant') return `assistant:${normalForm(message)}`;
  const other = objectsIn(content).filter(({ text }) => typeof text !== 'string');
  if (other.length === 0) return `${role}:${callId}:${contentText(content)}`;
  return JSON.stringify([role, callId, contentText(content), other]);
}
