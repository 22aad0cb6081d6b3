import type { Conversation, ConversationTurn, PastCall } from '../model/conversation.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { OLLAMA_ID_PREFIXES } from './ollama-id-prefixes.ts';

/** Returns a model's view of a request: everything in `tools` is callable. */
export function readOllamaConversation(body: JsonObject): Conversation {
  return {
    callable: new Set(objectsOf(body.tools).map(nameOf)),
    deferred: new Set(),
    mayCall: true,
    idPrefixes: OLLAMA_ID_PREFIXES,
    mayThink: body.think !== false,
    turns: readTurns(objectsOf(body.messages)),
  };
}

/**
 * Matches a result with its call by id, otherwise by tool name, otherwise by position. A call without an id
 * gets one from its number among the tool's calls, so that hidden calls in between do not change it.
 */
function readTurns(messages: readonly JsonObject[]): ConversationTurn[] {
  const counts = new Map<string, number>();
  let waiting: PastCall[] = [];
  return messages.flatMap((message): ConversationTurn[] => {
    switch (message.role) {
      case 'user':
        return [{ role: 'user', text: textOf(message) }];
      case 'assistant': {
        const calls = objectsOf(message.tool_calls).map((call) => readCall(call, counts));
        waiting = [...calls];
        return [{ role: 'assistant', text: textOf(message), calls }];
      }
      case 'tool': {
        const callId = takeAnswered(message, waiting);
        return [{ role: 'results', results: [{ callId, text: textOf(message) }] }];
      }
      default:
        return [];
    }
  });
}

function readCall(call: JsonObject, counts: Map<string, number>): PastCall {
  const name = nameOf(call);
  const count = counts.get(name) ?? 0;
  counts.set(name, count + 1);
  const input = isJsonObject(call.function) ? call.function.arguments : undefined;
  return { id: typeof call.id === 'string' ? call.id : `${name}#${count}`, name, input };
}

function takeAnswered({ tool_call_id: id, tool_name: name }: JsonObject, waiting: PastCall[]): string {
  const byId = waiting.findIndex((call) => call.id === id);
  const byName = waiting.findIndex((call) => call.name === name);
  const [call] = waiting.splice(byId === -1 ? Math.max(0, byName) : byId, 1);
  return call?.id ?? 'none';
}

function nameOf({ function: called }: JsonObject): string {
  return isJsonObject(called) ? String(called.name) : '';
}

function textOf({ content }: JsonObject): string {
  return typeof content === 'string' ? content : '';
}
