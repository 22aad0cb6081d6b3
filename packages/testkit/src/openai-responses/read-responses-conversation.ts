import { parseJson } from '@winnow/core';
import type { Conversation, ConversationTurn, PastCall } from '../model/conversation.ts';
import { type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { RESPONSES_ID_PREFIXES } from './responses-id-prefixes.ts';
import { functionNames, loadedTools } from './responses-tools.ts';

/** The name under which a model with the vendor's tool search sees and calls it. */
const SEARCH_TOOL = 'gateway_search_tools';

/**
 * Returns a model's view of a Responses request: tools that are declared and not deferred, and those that the
 * history has loaded.
 */
export function readResponsesConversation(body: JsonObject): Conversation {
  const tools = objectsOf(body.tools);
  const shown = tools.filter(({ defer_loading: isDeferred }) => isDeferred !== true);
  const canSearch = tools.some(({ type, execution }) => type === 'tool_search' && execution === 'client');
  return {
    callable: new Set([
      ...functionNames(shown),
      ...functionNames(loadedTools(body.input)),
      ...(canSearch ? [SEARCH_TOOL] : []),
    ]),
    deferred: new Set(),
    mayCall: body.tool_choice !== 'none',
    idPrefixes: RESPONSES_ID_PREFIXES,
    mayThink: body.reasoning !== undefined,
    turns: joinTurns(objectsOf(body.input).flatMap(readTurn)),
  };
}

function readTurn(item: JsonObject): ConversationTurn[] {
  switch (item.type ?? 'message') {
    case 'message':
      if (item.role === 'user') return [{ role: 'user', text: readText(item.content) }];
      return item.role === 'assistant'
        ? [{ role: 'assistant', text: readText(item.content), calls: [] }]
        : [];
    case 'function_call':
      return [{ role: 'assistant', text: '', calls: [readCall(item)] }];
    case 'tool_search_call':
      return [
        {
          role: 'assistant',
          text: '',
          calls: [{ id: String(item.call_id), name: SEARCH_TOOL, input: item.arguments }],
        },
      ];
    case 'function_call_output':
      return [{ role: 'results', results: [{ callId: String(item.call_id), text: String(item.output) }] }];
    case 'tool_search_output':
      return [
        {
          role: 'results',
          results: [{ callId: String(item.call_id), text: functionNames(item.tools).join() }],
        },
      ];
    default:
      return [];
  }
}

function readCall({ call_id: id, name, namespace, arguments: text }: JsonObject): PastCall {
  const isOwn = typeof namespace === 'string' && namespace !== name;
  return {
    id: String(id),
    name: isOwn ? `${namespace}.${name}` : String(name),
    input: parseJson(String(text)) ?? text,
  };
}

/** Groups the items of one response into one turn, which ends at the next input of the user or result. */
function joinTurns(turns: readonly ConversationTurn[]): ConversationTurn[] {
  const joined: ConversationTurn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role === 'assistant' && turn.role === 'assistant') {
      joined[joined.length - 1] = {
        role: 'assistant',
        text: last.text + turn.text,
        calls: [...last.calls, ...turn.calls],
      };
    } else joined.push(turn);
  }
  return joined;
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}
