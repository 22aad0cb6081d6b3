import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';
import { fieldOf } from './field-of.ts';

/** Returns the parts of a content. */
export function partsOf(content: unknown): JsonObject[] {
  return isJsonObject(content) ? objectsIn(content.parts) : [];
}

/** Whether a content is the model's. */
export function isOfModel(content: unknown): boolean {
  return isJsonObject(content) && content.role === 'model';
}

/** Returns the call in a part; undefined when there is none. */
export function callOf(part: JsonObject): JsonObject | undefined {
  const call = fieldOf(part, 'functionCall');
  return isJsonObject(call) ? call : undefined;
}

/** Returns the result in a part; undefined when there is none. */
export function responseOf(part: JsonObject): JsonObject | undefined {
  const response = fieldOf(part, 'functionResponse');
  return isJsonObject(response) ? response : undefined;
}

/** Returns the signature of a part; undefined when there is none. */
export function signatureOf(part: JsonObject): string | undefined {
  return textOrNone(fieldOf(part, 'thoughtSignature'));
}

/** Returns the text of a content as people read it, without thoughts. */
export function contentText(content: unknown): string {
  const texts = partsOf(content).flatMap(({ text, thought }) =>
    typeof text === 'string' && thought !== true ? [text] : [],
  );
  return texts.join('');
}

/** A call and its key within the turn. */
export interface TurnCall {
  /** The call's own id, or one made of its name and its position, which never leaves Winnow. */
  readonly key: string;
  readonly call: JsonObject;
}

/**
 * Returns the calls of a turn, in order. Most servers give them no ids; their names and positions then
 * distinguish them.
 */
export function callsOf(parts: readonly JsonObject[]): TurnCall[] {
  const calls = parts.map(callOf).filter((call) => textOrNone(call?.name) !== undefined);
  return calls.map((call, ordinal) => ({ key: callKey(call!, ordinal), call: call! }));
}

/** Returns the key of a call within its turn. */
export function callKey({ id, name }: JsonObject, ordinal: number): string {
  return textOrNone(id) ?? `${name}#${ordinal}`;
}
