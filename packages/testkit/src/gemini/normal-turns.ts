import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { fieldOf } from './field-of.ts';

/**
 * Adjacent contents of one side, merged as the service reads them: clients may keep each piece of a stream as
 * its own content.
 */
export interface NormalTurn {
  /** Position of the turn's first content. */
  readonly position: number;
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonObject[];
}

/** Returns the turns of a history. */
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

/** Returns the calls among parts. */
export function callsIn(parts: readonly JsonObject[]): JsonObject[] {
  return parts.map((part) => objectIn(part, 'functionCall')).filter((found) => found !== undefined);
}

/** Returns the results among parts. */
export function responsesIn(parts: readonly JsonObject[]): JsonObject[] {
  return parts.map((part) => objectIn(part, 'functionResponse')).filter((found) => found !== undefined);
}

/** Returns a member that is an object, by either name. */
export function objectIn(part: JsonObject, name: string): JsonObject | undefined {
  const value = fieldOf(part, name);
  return isJsonObject(value) ? value : undefined;
}

/**
 * Returns the meaning of a part, equal for every form in which clients send it back; undefined for parts that
 * they may omit: thoughts and empty texts.
 */
export function comparablePart(part: JsonObject): unknown {
  const call = objectIn(part, 'functionCall');
  if (call !== undefined) return { call: call.name, args: call.args ?? {} };
  const response = objectIn(part, 'functionResponse');
  if (response !== undefined) return { response: response.name, value: response.response };
  if (typeof part.text !== 'string') return part;
  return part.thought === true || part.text === '' ? undefined : { text: part.text };
}
