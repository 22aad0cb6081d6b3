import type { Conversation, ConversationTurn } from '../model/conversation.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { MESSAGES_ID_PREFIXES } from './messages-id-prefixes.ts';
import { normalBlocks } from './normal-messages.ts';
import { referencesIn } from './references-in.ts';

/**
 * Returns a model's view of a Messages request. A deferred tool is callable once a `tool_reference` has shown
 * it.
 */
export function readMessagesConversation(body: JsonObject): Conversation {
  const tools = objectsOf(body.tools).filter(({ name }) => typeof name === 'string');
  const referenced = new Set(referencesIn(body.messages).map(({ name }) => name));
  const names = (list: readonly JsonObject[]): Set<string> => new Set(list.map(({ name }) => String(name)));
  const { thinking, tool_choice: choice } = body;
  return {
    callable: names(tools.filter((tool) => tool.defer_loading !== true || referenced.has(String(tool.name)))),
    deferred: names(tools.filter((tool) => tool.defer_loading === true)),
    mayCall: !(isJsonObject(choice) && choice.type === 'none'),
    idPrefixes: MESSAGES_ID_PREFIXES,
    mayThink: isJsonObject(thinking) && thinking.type !== 'disabled',
    turns: objectsOf(body.messages).flatMap(readTurns),
  };
}

function readTurns({ role, content }: JsonObject): ConversationTurn[] {
  const blocks = normalBlocks(content);
  const text = readText(blocks);
  if (role === 'assistant') return [{ role, text, calls: blocks.flatMap(readCall) }];
  if (role !== 'user') return [];
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({ callId: String(block.tool_use_id), text: readText(normalBlocks(block.content)) }));
  // Text after results is a remark about them (Claude Code's "Tool loaded."), not a message of the user.
  return [results.length > 0 ? { role: 'results', results } : { role, text }];
}

function readText(blocks: readonly JsonObject[]): string {
  return blocks.map((block) => (block.type === 'text' ? String(block.text) : '')).join('');
}

function readCall({ type, id, name, input }: JsonObject): { id: string; name: string; input: unknown }[] {
  return type === 'tool_use' ? [{ id: String(id), name: String(name), input }] : [];
}
