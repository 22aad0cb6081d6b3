import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/** The objects in a list; nothing for what is no list. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** The text of a message's content: a string, or the text parts of a list, joined. Empty when there is none. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

/** The words of a message's content as people read them: its parts are no parts of words. */
export function contentWords(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(({ text }) => textOrNone(text) ?? []);
  return texts.reduce(
    (words, text) => (/(^|\s)$/.test(words) || /^\s/.test(text) ? words + text : `${words} ${text}`),
    '',
  );
}

/** The calls of an assistant's message. */
export function callsOf(message: JsonObject): JsonObject[] {
  return objectsIn(message.tool_calls);
}

/** The name of the function or the custom tool that a call, or a part of one, is for; empty when it does not say. */
export function calledName(call: JsonObject): string {
  const called = isJsonObject(call.function) ? call.function : call.custom;
  return isJsonObject(called) && typeof called.name === 'string' ? called.name : '';
}

/** The arguments of a call as they came: text, or with some servers an object. Undefined when there are none. */
export function calledArguments(call: JsonObject): unknown {
  return isJsonObject(call.function) ? call.function.arguments : undefined;
}

/** A string that says something; undefined for anything else, the empty string included. */
export function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
