import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { fieldOf } from './field-of.ts';

/** The objects in a list; nothing for what is no list. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** A string that says something; undefined for anything else, the empty string included. */
export function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The parts of a content. */
export function partsOf(content: unknown): JsonObject[] {
  return isJsonObject(content) ? objectsIn(content.parts) : [];
}

/** Whether the model says a content. */
export function isOfModel(content: unknown): boolean {
  return isJsonObject(content) && content.role === 'model';
}

/** The call in a part, undefined when it is none. */
export function callOf(part: JsonObject): JsonObject | undefined {
  const call = fieldOf(part, 'functionCall');
  return isJsonObject(call) ? call : undefined;
}

/** The result of a call in a part, undefined when it is none. */
export function responseOf(part: JsonObject): JsonObject | undefined {
  const response = fieldOf(part, 'functionResponse');
  return isJsonObject(response) ? response : undefined;
}

/** What signs a part, undefined when nothing does. */
export function signatureOf(part: JsonObject): string | undefined {
  return textOrNone(fieldOf(part, 'thoughtSignature'));
}

/** The words of a content: texts that are no thoughts, as people read them. */
export function contentText(content: unknown): string {
  const texts = partsOf(content).flatMap(({ text, thought }) =>
    typeof text === 'string' && thought !== true ? [text] : [],
  );
  return texts.join('');
}

/** A call as it is told from the others of its turn. */
export interface TurnCall {
  /** The call's own id, or one that is made up of its name and its place, which never leaves Winnow. */
  readonly key: string;
  readonly call: JsonObject;
}

/** The calls of a turn, in order. Most servers give them no ids: then name and order tell them apart. */
export function callsOf(parts: readonly JsonObject[]): TurnCall[] {
  const calls = parts.map(callOf).filter((call) => textOrNone(call?.name) !== undefined);
  return calls.map((call, ordinal) => ({ key: callKey(call!, ordinal), call: call! }));
}

/** How a call is told from the others of its turn. */
export function callKey({ id, name }: JsonObject, ordinal: number): string {
  return textOrNone(id) ?? `${name}#${ordinal}`;
}
