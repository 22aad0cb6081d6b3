import { parseJson } from '@winnow/core';
import type { Conversation, ConversationTurn, PastCall } from '../model/conversation.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { CHAT_ID_PREFIXES } from './chat-id-prefixes.ts';
import { functionOf } from './function-of.ts';
import { isDeferred, referencesIn } from './references-in.ts';

/**
 * Returns a model's view of a Chat request. A deferred tool is callable once a `tool_reference` has shown it.
 */
export function readChatConversation(body: JsonObject): Conversation {
  const tools = objectsOf(body.tools);
  const referenced = new Set(referencesIn(body.messages).map(({ name }) => name));
  const nameOf = (tool: JsonObject) => functionOf(tool)?.name;
  return {
    callable: namesOf(tools.filter((tool) => !isDeferred(tool) || referenced.has(nameOf(tool)))),
    deferred: namesOf(tools.filter(isDeferred)),
    mayCall: body.tool_choice !== 'none',
    idPrefixes: CHAT_ID_PREFIXES,
    mayThink: true,
    turns: objectsOf(body.messages).flatMap(readTurn),
  };
}

function namesOf(tools: readonly JsonObject[]): Set<string> {
  return new Set(tools.flatMap((tool) => functionOf(tool)?.name ?? []));
}

function readTurn(message: JsonObject): ConversationTurn[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', text: readText(message.content) }];
    case 'assistant':
      return [
        {
          role: 'assistant',
          text: readText(message.content),
          calls: objectsOf(message.tool_calls).flatMap(readCall),
        },
      ];
    case 'tool':
      return [
        {
          role: 'results',
          results: [{ callId: String(message.tool_call_id), text: readText(message.content) }],
        },
      ];
    default:
      return [];
  }
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

function readCall(call: JsonObject): PastCall[] {
  const called = functionOf(call);
  if (called === undefined) return [];
  const text = isJsonObject(call.function) ? call.function.arguments : undefined;
  return [{ id: String(call.id), name: called.name, input: parseJson(String(text)) ?? text }];
}
