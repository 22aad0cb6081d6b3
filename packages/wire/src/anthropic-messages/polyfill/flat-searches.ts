import { memberTexts } from '../../json/json-members.ts';
import { isJsonObject, type JsonObject, memberSpan, splice } from '../../json/json-splice.ts';
import type { DeclaredTools } from '../../turns/kept-result.ts';
import { readBlocks } from '../read-blocks.ts';
import { isHostedCall } from './hosted-tools.ts';
import { RESULT_TYPE, writeCall, writeResult } from './search-blocks.ts';

/** A message of a history: its original text and its parsed value. */
export interface HistoryMessage {
  readonly text: string;
  readonly value: unknown;
}

/** The results that answer the hosted searches of a history. */
export interface SearchAnswers {
  /** The result block of each call, by the call's id, wherever the block is in the history. */
  readonly results: ReadonlyMap<string, JsonObject>;
  readonly declared: DeclaredTools;
}

/**
 * Returns a history in which hosted searches are function calls. An assistant message ends with its searches,
 * a user message holds their results, and the rest of the assistant's text is its next message, as if each
 * round had been a separate turn.
 *
 * Searches next to calls for the client get their results together with the client's, in the following
 * message; the vendor itself puts its result one message later.
 */
export function flattenSearches(messages: readonly HistoryMessage[], answers: SearchAnswers): string[] {
  const flat: string[] = [];
  let late: readonly string[] = [];
  const sayLate = () => {
    if (late.length > 0) flat.push(writeMessage('user', late));
    late = [];
  };
  for (const message of messages) {
    const role = isJsonObject(message.value) ? message.value.role : undefined;
    if (role === 'user' && late.length > 0) {
      flat.push(withResults(message, late));
      late = [];
      continue;
    }
    sayLate();
    const turn = role === 'assistant' && holdsSearches(message.value) && flattenTurn(message, answers);
    if (!turn) flat.push(message.text);
    else {
      flat.push(...turn.messages);
      late = turn.late;
    }
  }
  sayLate();
  return flat;
}

/** Whether a message has blocks of hosted searches. */
export function holdsSearches(message: unknown): boolean {
  return readBlocks(message).some((block) => block.type === RESULT_TYPE || isHostedCall(block));
}

function flattenTurn(
  { text, value }: HistoryMessage,
  { results, declared }: SearchAnswers,
): { readonly messages: string[]; readonly late: string[] } {
  const blocks = (value as { content: readonly unknown[] }).content;
  const texts = memberTexts(text, 'content');
  const messages: string[] = [];
  let said: string[] = [];
  let ids = new Set<string>();
  let isAnswered = false;
  let callsClient = false;
  const answer = () => [...ids].map((id) => writeResult(id, results.get(id), declared));
  for (const [at, block] of blocks.entries()) {
    if (isJsonObject(block) && block.type === RESULT_TYPE) {
      isAnswered ||= ids.has(String(block.tool_use_id));
      continue;
    }
    // A message that also calls the client's tools has to wait for the client's results.
    if (isAnswered && !callsClient) {
      messages.push(writeMessage('assistant', said), writeMessage('user', answer()));
      [said, ids, isAnswered] = [[], new Set(), false];
    }
    if (isHostedCall(block)) ids.add(String(block.id));
    else callsClient ||= isJsonObject(block) && block.type === 'tool_use';
    said.push(isHostedCall(block) ? writeCall(block) : texts[at]!);
  }
  if (said.length > 0) messages.push(writeMessage('assistant', said));
  return { messages, late: answer() };
}

function writeMessage(role: 'user' | 'assistant', blocks: readonly string[]): string {
  return `{"role":"${role}","content":[${blocks.join(',')}]}`;
}

/** Inserts results before the content of a user message. */
function withResults({ text, value }: HistoryMessage, results: readonly string[]): string {
  const { content } = value as JsonObject;
  if (!Array.isArray(content)) {
    const said =
      typeof content === 'string' && content !== '' ? [JSON.stringify({ type: 'text', text: content })] : [];
    return writeMessage('user', [...results, ...said]);
  }
  const { start } = memberSpan(text, 0, 'content')!;
  const own = content.length === 0 ? '' : ',';
  return splice(text, [{ start: start + 1, end: start + 1, text: results.join(',') + own }]);
}
