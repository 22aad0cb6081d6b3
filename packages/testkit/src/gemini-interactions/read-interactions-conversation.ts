import type { Conversation, ConversationTurn } from '../model/conversation.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { INTERACTIONS_ID_PREFIXES } from './interactions-id-prefixes.ts';
import { resultsIn, runsOf, stepsOf } from './read-steps.ts';

/** Returns a model's view of a request for an interaction. */
export function readInteractionsConversation(body: JsonObject): Conversation {
  const config = isJsonObject(body.generation_config) ? body.generation_config : {};
  return {
    callable: new Set(
      objectsOf(body.tools).flatMap(({ type, name }) => (type === 'function' ? [String(name)] : [])),
    ),
    deferred: new Set(),
    mayCall: config.tool_choice !== 'none',
    idPrefixes: INTERACTIONS_ID_PREFIXES,
    mayThink: config.thinking_summaries === 'auto',
    turns: runsOf(stepsOf(body.input) ?? []).flatMap(({ isOfModel, steps }) =>
      isOfModel ? [readTurn(steps)] : readClient(steps),
    ),
  };
}

function readTurn(steps: readonly JsonObject[]): ConversationTurn {
  const calls = steps.filter(({ type }) => type === 'function_call');
  return {
    role: 'assistant',
    text: steps.map(wordsOf).join(''),
    calls: calls.map(({ id, name, arguments: input }) => ({ id: String(id), name: String(name), input })),
  };
}

function readClient(steps: readonly JsonObject[]): ConversationTurn[] {
  const results = steps
    .flatMap(resultsIn)
    .map(({ call_id: id, result }) => ({ callId: String(id), text: resultText(result) }));
  const text = steps.map(wordsOf).join('');
  return [
    ...(results.length > 0 ? [{ role: 'results' as const, results }] : []),
    ...(text === '' ? [] : [{ role: 'user' as const, text }]),
  ];
}

function resultText(result: unknown): string {
  if (typeof result === 'string') return result;
  return Array.isArray(result) ? wordsOf({ content: result }) : JSON.stringify(result);
}

function wordsOf({ type, content }: JsonObject): string {
  if (type === 'thought') return '';
  return objectsOf(content)
    .map(({ type: kind, text }) => (kind === 'text' && typeof text === 'string' ? text : ''))
    .join('');
}
