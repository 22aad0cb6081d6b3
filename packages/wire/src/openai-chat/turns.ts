import { isDeepStrictEqual } from 'node:util';
import { type Edit, elementsOf, memberSpan, removeMembers, type Span, setMember, splice } from '@winnow/core';
import type { HiddenTurn, Turn } from '../format/view.ts';
import { memberTexts } from '../json/json-members.ts';
import { type JsonObject, objectsIn, parseJson, sortKeys, textOrNone } from '../json/json-value.ts';
import { messageTurns } from '../turns/message-turns.ts';
import { hiddenRounds } from '../turns/remember-turns.ts';
import {
  calledArguments,
  calledName,
  callsOf,
  contentText,
  isThoughtList,
  isThoughtPart,
  joinMessages,
  tiedToCall,
  withSignature,
} from './messages.ts';

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

/**
 * Returns the message that a client saw of these turns: joined, without the calls that the proxy answered.
 * Those are identified by id and name within their own message: several servers restart the ids for each
 * response, and some give a search the id of another call.
 */
export function visibleMessage(turns: readonly Pick<Turn, 'message' | 'searches'>[]): JsonObject {
  return turns.map(withoutSearches).reduce(joinMessages);
}

function withoutSearches({ message, searches }: Pick<Turn, 'message' | 'searches'>): JsonObject {
  const hidden = new Set(searches.map(({ id, name }) => JSON.stringify([id, name])));
  const { tool_calls, ...rest } = JSON.parse(message) as JsonObject;
  const all = objectsIn(tool_calls);
  const calls = all.filter((call) => !hidden.has(JSON.stringify([call.id, calledName(call)])));
  if (calls.length === all.length) return calls.length > 0 ? { ...rest, tool_calls: calls } : rest;
  const first = textOrNone(calls[0]?.id);
  const tied = Object.entries(rest).map(([field, value]) => [
    field,
    isThoughtList(value) ? value.flatMap((block) => tiedToCall(block, first) ?? []) : value,
  ]);
  const shown = Object.fromEntries(tied.filter(([, value]) => !isEmptyList(value))) as JsonObject;
  return calls.length > 0 ? { ...shown, tool_calls: withSignature(calls, all) } : shown;
}

/**
 * Returns the normal form of a message: its text and its calls.
 *
 * Clients keep these, but write them in their own way: a text as a list of parts, null as an empty text,
 * arguments with other white space. Many clients drop everything else, such as reasoning and annotations.
 */
function normalForm(message: JsonObject): string {
  const calls = callsOf(message).map((call) => [call.id, calledName(call), normalArguments(call)]);
  return JSON.stringify([contentText(message.content), calls]);
}

function normalArguments(call: JsonObject): unknown {
  const given = calledArguments(call);
  return sortKeys(typeof given === 'string' ? (parseJson(given) ?? given) : given);
}

/**
 * Turns the client's copy of a visible message into the last message of its hidden turn.
 *
 * The copy holds the texts of all rounds. Those of earlier rounds are removed, because they are now in
 * separate messages, and searches are put back among the calls. Everything else stays as the client wrote it,
 * including its own additions.
 */
export function restoreMessage(copyText: string, hidden: HiddenTurn): string | undefined {
  const copy = parseObject(copyText);
  const rounds = hiddenRounds(hidden);
  const earlier = rounds.earlier.map(({ message }) => parseObject(message));
  const last = parseObject(rounds.last.message);
  // The calls in it do not matter here.
  const said = [...earlier, last].reduce(joinMessages);
  // An empty last message, such as a search that was cut off, is not sent: providers refuse it.
  if (earlier.length > 0 && saysNothing(last)) return undefined;
  const object = { start: 0, end: copyText.length };
  const gone = new Set(
    Object.keys(copy).filter((field) => isRepeated(field, { copy, said, last }) && !(field in last)),
  );
  const changed = Object.keys(copy).filter(
    (field) => isRepeated(field, { copy, said, last }) && field in last,
  );
  return splice(copyText, [
    ...removeMembers(copyText, object, gone),
    ...changed.map((field) => setMember(copyText, object, field, JSON.stringify(last[field]))),
    ...restoreContent(copyText, { copy, said, last }),
    ...restoreCalls(copyText, object, hidden),
  ]);
}

function saysNothing(message: JsonObject): boolean {
  const { content, refusal, audio } = message;
  const isEmpty = content === null || content === undefined || content === '' || isEmptyList(content);
  return isEmpty && callsOf(message).length === 0 && !refusal && !audio;
}

function isEmptyList(content: unknown): boolean {
  return Array.isArray(content) && content.length === 0;
}

interface Versions {
  /** The message that the client sent back. */
  readonly copy: JsonObject;
  /** The message that the client received. */
  readonly said: JsonObject;
  /** The model's last message. */
  readonly last: JsonObject;
}

const FIELDS_OF_THEIR_OWN: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls']);

/**
 * Whether a field of the copy repeats the content of earlier rounds, such as reasoning that the client sends
 * back.
 */
function isRepeated(field: string, { copy, said, last }: Versions): boolean {
  if (FIELDS_OF_THEIR_OWN.has(field)) return false;
  // Clients join blocks in their own ways; the provider takes only its own.
  if (isThoughtList(copy[field]) || isThoughtList(last[field]))
    return !isDeepStrictEqual(copy[field], last[field]);
  // DeepSeek demands the reasoning of a message with calls.
  if (!(field in last) && typeof copy[field] === 'string' && callsOf(last).length > 0) return false;
  return isDeepStrictEqual(copy[field], said[field]) && !isDeepStrictEqual(said[field], last[field]);
}

function restoreContent(copyText: string, { copy, said, last }: Versions): Edit[] {
  const isThought = [copy, last].some(({ content }) => objectsIn(content).some(isThoughtPart));
  if (!isThought && contentText(said.content) === contentText(last.content)) return [];
  const content = memberSpan(copyText, 0, 'content');
  if (content === undefined) return [];
  // Clients join thoughts in their own ways; the provider takes only its own.
  if (isThought) return [{ ...content, text: JSON.stringify(last.content ?? null) }];
  const parts = objectsIn(copy.content);
  const [part] = elementsOf(copyText, content.start);
  const isOneText = part !== undefined && parts.length === 1 && typeof parts[0]?.text === 'string';
  // A single part may carry a cache mark, so only its text is replaced; a part without text is refused.
  if (isOneText && contentText(last.content) !== '') {
    return [setMember(copyText, part, 'text', JSON.stringify(contentText(last.content)))];
  }
  return [{ ...content, text: JSON.stringify(last.content ?? null) }];
}

/**
 * Returns the edit that restores the calls in the model's order: its searches in their original form, and the
 * client's copies of the real ones.
 */
function restoreCalls(copyText: string, object: Span, { message, results }: HiddenTurn): Edit[] {
  if (results.length === 0) return [];
  const copied = new Map(callTexts(copyText));
  const calls = callTexts(message).map(([key, text]) => withoutForeignSignature(copied.get(key), text));
  return [setMember(copyText, object, 'tool_calls', `[${calls.join(',')}]`)];
}

/** Returns the client's copy of a call, without a signature that was another call's. */
function withoutForeignSignature(copy: string | undefined, own: string): string {
  if (copy === undefined) return own;
  const isForeign = 'extra_content' in parseObject(copy) && !('extra_content' in parseObject(own));
  const object = { start: 0, end: copy.length };
  return isForeign ? splice(copy, removeMembers(copy, object, new Set(['extra_content']))) : copy;
}

/** Returns the calls of a message, each with a key of id and name, because several may share an id. */
function callTexts(messageText: string): (readonly [key: string, text: string])[] {
  return memberTexts(messageText, 'tool_calls').map((text) => {
    const call = parseObject(text);
    return [JSON.stringify([call.id, calledName(call)]), text] as const;
  });
}

function parseObject(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}
