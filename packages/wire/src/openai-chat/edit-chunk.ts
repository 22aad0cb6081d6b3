import { isEmpty, memberOf, withChangesAt } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, type MemberChanges } from '../json/json-splice.ts';
import { objectsIn, textOrNone } from './read-message.ts';

/** Changes of a chunk. Everything that is not named stays as it was. */
export interface ChunkChanges {
  readonly root?: MemberChanges;
  readonly choice?: MemberChanges;
  readonly delta?: MemberChanges;
}

/** The text of a chunk with members of it, of its first choice and of that choice's delta changed. */
export function editChunk(text: string, { root = {}, choice = {}, delta = {} }: ChunkChanges): string {
  // Most chunks are not edited at all.
  if (isEmpty(root) && isEmpty(choice) && isEmpty(delta)) return text;
  return withChangesAt(text, [
    [[], root],
    [['choices'], choice],
    [['choices', 'delta'], delta],
  ]);
}

/** The changes that make a chunk one that only stops. */
export function onlyStop({ root = {}, choice }: ChunkChanges): ChunkChanges {
  return { root, choice: { ...choice, delta: '{}' } };
}

/** The changes that take the stop out of a chunk as well, and the usage that goes with it. */
export function withoutStop({ root, choice, delta = {} }: ChunkChanges): ChunkChanges {
  return { root: { ...root, usage: undefined }, choice: { ...choice, finish_reason: 'null' }, delta };
}

/** The id and the time of a response, as JSON. */
export type Identity = Readonly<Record<string, string>>;

/** The identity of a response, given as JSON, as far as it has one. */
export function identityIn(text: string): Identity {
  const [id, created] = [memberOf(text, 'id'), memberOf(text, 'created')];
  return { ...(id !== undefined && { id }), ...(created !== undefined && { created }) };
}

/** The same of a chunk; undefined where it has no id. */
export function identityOf(chunk: JsonObject, text: string): Identity | undefined {
  return textOrNone(chunk.id) === undefined ? undefined : identityIn(text);
}

/** A chunk that holds nothing but parts of calls, given as JSON. `identity` are members of its own, as JSON. */
export function writeCallsChunk(identity: Identity = {}, calls: readonly string[]): string {
  const choice = `{"index":0,"delta":{"tool_calls":[${calls.join(',')}]},"finish_reason":null}`;
  return editChunk(`{"object":"chat.completion.chunk","choices":[${choice}]}`, { root: identity });
}

/** The delta of a chunk's first choice; empty where there is none. */
export function deltaOf(chunk: JsonObject): JsonObject {
  const delta = objectsIn(chunk.choices)[0]?.delta;
  return isJsonObject(delta) ? delta : {};
}

/** Whether a delta's fields say anything: no value, an empty text and an empty list do not. */
export function hasNews(delta: JsonObject): boolean {
  return Object.values(delta).some(
    (value) =>
      value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
}

/** Whether a chunk says anything but its role and its calls, which are judged one by one. */
export function hasVisibleNews(chunk: JsonObject): boolean {
  const { role, tool_calls, ...rest } = deltaOf(chunk);
  return hasNews(rest);
}

/** A whole response as the one chunk that says the same. */
export function chunkFromWhole(response: JsonObject): JsonObject {
  const choices = objectsIn(response.choices).map(({ message, ...choice }) => {
    const calls = isJsonObject(message) ? objectsIn(message.tool_calls) : [];
    const numbered = calls.map((call, index) => ({ index, ...call }));
    return {
      ...choice,
      delta: { ...(message as JsonObject | undefined), ...(numbered.length > 0 && { tool_calls: numbered }) },
    };
  });
  return { ...response, object: 'chat.completion.chunk', choices };
}
