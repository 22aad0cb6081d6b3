import type { Conversation, ConversationTurn, PastCall } from '../model/conversation.ts';
import { BRIDGE_TOOL } from '../model/read-bridge.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { fieldOf } from './field-of.ts';
import { GEMINI_ID_PREFIXES } from './gemini-id-prefixes.ts';
import { callsIn, normalTurns, objectIn, responsesIn } from './normal-turns.ts';

/**
 * Returns a model's view of a request. Clients invent ids if the provider gives none; here ids derive from
 * the names of the called tools, also of those called through the bridge tool, and their order.
 */
export function readGeminiConversation(body: JsonObject): Conversation {
  const config = objectIn(objectIn(body, 'toolConfig') ?? {}, 'functionCallingConfig');
  const thinking = objectIn(objectIn(body, 'generationConfig') ?? {}, 'thinkingConfig');
  return {
    callable: new Set(objectsOf(body.tools).flatMap(namesIn)),
    deferred: new Set(),
    mayCall: config?.mode !== 'NONE',
    idPrefixes: GEMINI_ID_PREFIXES,
    mayThink: thinking !== undefined && fieldOf(thinking, 'includeThoughts') === true,
    turns: readTurns(body.contents),
  };
}

function namesIn(tool: JsonObject): string[] {
  return objectsOf(fieldOf(tool, 'functionDeclarations')).map(({ name }) => String(name));
}

function readTurns(contents: unknown): ConversationTurn[] {
  const calledBefore = new Map<string, number>();
  let waiting: readonly PastCall[] = [];
  return normalTurns(contents).flatMap(({ role, parts }): ConversationTurn[] => {
    const text = textOf(parts);
    if (role === 'model') {
      waiting = callsIn(parts).map((call) => readCall(call, calledBefore));
      return [{ role: 'assistant', text, calls: waiting }];
    }
    const results = responsesIn(parts).map(({ response }, at) => ({
      callId: waiting[at]?.id ?? '',
      text: isJsonObject(response)
        ? String(response.output ?? response.result ?? JSON.stringify(response))
        : '',
    }));
    return [
      ...(results.length > 0 ? [{ role: 'results' as const, results }] : []),
      ...(text === '' ? [] : [{ role: 'user' as const, text }]),
    ];
  });
}

function readCall({ name, args }: JsonObject, calledBefore: Map<string, number>): PastCall {
  const called = String(name === BRIDGE_TOOL && isJsonObject(args) ? args.name : name);
  const count = calledBefore.get(called) ?? 0;
  calledBefore.set(called, count + 1);
  return { id: `${called}#${count}`, name: String(name), input: args ?? {} };
}

function textOf(parts: readonly JsonObject[]): string {
  return parts
    .map(({ text, thought }) => (typeof text === 'string' && thought !== true ? text : ''))
    .join('');
}
