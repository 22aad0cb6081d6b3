import { memberSpan, setMember, splice } from '@winnow/core';
import type { Turn } from '../format/view.ts';
import { seamBetween } from '../joining/seam.ts';
import { parseObject } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, sortKeys, textOrNone } from '../json/json-value.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { createBodyReader } from '../request/read-body.ts';
import { assistantTurns, NamesInHistory, readOpening } from '../request/read-history.ts';
import { type EntryFacts, entryFacts, toolListReader } from '../request/tool-entries.ts';

/** Reads the parts of a request that Winnow uses. A response is a stream by default. */
export const readRequest = createRequestReader(
  createBodyReader({ history: 'messages', tools: 'tools', readTools: toolListReader(readTool) }),
  ({ body, history, toolSection }, { searchToolName }) => {
    const messages = objectsIn(history);
    const userTexts = messages.filter(({ role }) => role === 'user').map(contentText);
    return {
      model: textOrNone(body.model),
      isStream: body.stream !== false,
      // The format has no tool choice.
      toolChoice: { mode: 'auto', names: [] },
      ...readCalls(messages).factsWith(userTexts),
      ...readOpening({ body, history, readText: (content) => contentText({ content }) }),
      turns: assistantTurns(history, (message) => idsOf(callsOf(message))),
      bypass: commonBypass(toolSection, searchToolName, messages.at(-1)?.role === 'assistant'),
    };
  },
);

/**
 * Returns the names of the tools that the history calls, and of those whose results it has. A result names
 * its tool, or belongs to the first earlier call without a result.
 */
function readCalls(messages: readonly JsonObject[]): NamesInHistory {
  const names = new NamesInHistory();
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      waiting = callsOf(message).map(calledName);
      for (const name of waiting) names.call(name);
    }
    if (message.role !== 'tool') continue;
    const named = waiting.indexOf(textOrNone(message.tool_name) ?? '');
    names.result(waiting.splice(Math.max(0, named), 1)[0]);
  }
  return names;
}

/**
 * Reads an entry. Only `{ type: "function", function: { name } }` is known to be a plain function. There are
 * no cache marks.
 */
function readTool(definition: unknown): EntryFacts {
  const entry = isJsonObject(definition) ? definition : {};
  return entryFacts(definition, entry.function, entry.type === 'function');
}

/** Returns the text of a message, which is always one string; empty when there is none. */
export function contentText({ content }: JsonObject): string {
  return typeof content === 'string' ? content : '';
}

/** Returns the calls of an assistant message. */
export function callsOf(message: JsonObject): JsonObject[] {
  return objectsIn(message.tool_calls);
}

/** Returns the name of the tool in a call; empty when it is missing. */
export function calledName({ function: called }: JsonObject): string {
  return isJsonObject(called) && typeof called.name === 'string' ? called.name : '';
}

/** Returns the arguments of a call, an object; undefined when there are none. */
export function calledArguments({ function: called }: JsonObject): unknown {
  return isJsonObject(called) ? called.arguments : undefined;
}

/** Returns the ids of these calls; servers before version 0.13 give none. */
export function idsOf(calls: readonly JsonObject[]): string[] {
  return calls.flatMap(({ id }) => textOrNone(id) ?? []);
}

/**
 * Returns the message that a client saw of these turns: their texts set apart, their thinking
 * concatenated, and their calls without searches.
 */
export function visibleMessage(turns: readonly Pick<Turn, 'message' | 'searches'>[]): JsonObject {
  return turns.map(withoutSearches).reduce(joinMessages);
}

/** Removes searches by id and name: a server may give a search the id of another call. */
function withoutSearches({ message, searches }: Pick<Turn, 'message' | 'searches'>): JsonObject {
  const hidden = new Set(searches.map(({ id, name }) => JSON.stringify([id, name])));
  const { tool_calls, ...rest } = JSON.parse(message) as JsonObject;
  const isHidden = (call: JsonObject, ordinal: number) =>
    hidden.has(JSON.stringify([callId(call, ordinal), calledName(call)]));
  const calls = callsOf({ tool_calls }).filter((call, ordinal) => !isHidden(call, ordinal));
  return calls.length > 0 ? { ...rest, tool_calls: calls } : rest;
}

/** Joins two messages of one turn. */
export function joinMessages(earlier: JsonObject, later: JsonObject): JsonObject {
  const calls = [...callsOf(earlier), ...callsOf(later)];
  const [text, added] = [contentText(earlier), contentText(later)];
  const thinking = (textOrNone(earlier.thinking) ?? '') + (textOrNone(later.thinking) ?? '');
  return {
    ...earlier,
    ...later,
    content: text + seamBetween(text, added) + added,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/**
 * Returns the normal form of a message: its text, and its calls without ids, which servers and clients may
 * drop. Many clients drop everything else, such as thinking.
 */
export function normalForm(message: JsonObject): string {
  const calls = callsOf(message).map((call) => [calledName(call), sortKeys(calledArguments(call))]);
  return JSON.stringify([contentText(message), calls]);
}

/**
 * Returns the id of a message's call at position `ordinal`: its own, or one made of its position, because
 * calls need no id in this format. A made-up id is never sent.
 */
export function callId(call: JsonObject, ordinal: number): string {
  return textOrNone(call.id) ?? `${MADE_UP}${ordinal}`;
}

/** Whether an id was made up by `callId`. */
export function isMadeUpId(id: string): boolean {
  return id.startsWith(MADE_UP);
}

/** Returns the names of a message's calls, by their ids. */
export function callNames(message: JsonObject): ReadonlyMap<string, string> {
  return new Map(callsOf(message).map((call, ordinal) => [callId(call, ordinal), calledName(call)]));
}

const MADE_UP = '#';

/** Returns the JSON of a call with another number; a call without a number stays unchanged. */
export function numberCall(text: string, index: number): string {
  const called = parseObject(text)?.function;
  if (!isJsonObject(called) || typeof called.index !== 'number' || called.index === index) return text;
  const span = memberSpan(text, 0, 'function')!;
  return splice(text, [setMember(text, span, 'index', String(index))]);
}
