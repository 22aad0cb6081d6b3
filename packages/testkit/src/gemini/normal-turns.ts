import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { fieldOf } from './field-of.ts';

/** Contents of one side that follow each other, as the service reads them: clients may keep each piece of a stream as a content of its own. */
export interface NormalTurn {
  /** Of its first content. */
  readonly position: number;
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonObject[];
}

/** The turns of a history. */
export function normalTurns(contents: unknown): NormalTurn[] {
  const turns: NormalTurn[] = [];
  for (const [position, content] of objectsOf(contents).entries()) {
    const role = content.role === 'model' ? 'model' : 'user';
    const parts = objectsOf(content.parts);
    const last = turns.at(-1);
    if (last?.role === role) turns[turns.length - 1] = { ...last, parts: [...last.parts, ...parts] };
    else turns.push({ position, role, parts });
  }
  return turns;
}

/** The calls among parts. */
export function callsIn(parts: readonly JsonObject[]): JsonObject[] {
  return parts.map((part) => objectIn(part, 'functionCall')).filter((found) => found !== undefined);
}

/** The results among parts. */
export function responsesIn(parts: readonly JsonObject[]): JsonObject[] {
  return parts.map((part) => objectIn(part, 'functionResponse')).filter((found) => found !== undefined);
}

/** A member that is an object, under either name. */
export function objectIn(part: JsonObject, name: string): JsonObject | undefined {
  const value = fieldOf(part, name);
  return isJsonObject(value) ? value : undefined;
}

/** What a part says, equal for all the ways in which clients send it back; undefined for what they may leave out: thoughts, empty texts. */
export function comparablePart(part: JsonObject): unknown {
  const call = objectIn(part, 'functionCall');
  if (call !== undefined) return { call: call.name, args: call.args ?? {} };
  const response = objectIn(part, 'functionResponse');
  if (response !== undefined) return { response: response.name, value: response.response };
  if (typeof part.text !== 'string') return part;
  return part.thought === true || part.text === '' ? undefined : { text: part.text };
}
