import { isEmpty, memberOf, withChangesAt } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, type MemberChanges } from '../json/json-splice.ts';
import { objectsIn, textOrNone } from './read-message.ts';

/** Changes of a chunk. Everything that is not named stays unchanged. */
export interface ChunkChanges {
  readonly root?: MemberChanges;
  readonly choice?: MemberChanges;
  readonly delta?: MemberChanges;
}

/** Returns the text of a chunk with changes to its own members, its first choice and that choice's delta. */
export function editChunk(text: string, { root = {}, choice = {}, delta = {} }: ChunkChanges): string {
  // Most chunks are not edited.
  if (isEmpty(root) && isEmpty(choice) && isEmpty(delta)) return text;
  return withChangesAt(text, [
    [[], root],
    [['choices'], choice],
    [['choices', 'delta'], delta],
  ]);
}

/** Returns the changes that reduce a chunk to its stop. */
export function onlyStop({ root = {}, choice }: ChunkChanges): ChunkChanges {
  return { root, choice: { ...choice, delta: '{}' } };
}

/** Returns the changes that also remove the stop from a chunk, and the usage with it. */
export function withoutStop({ root, choice, delta = {} }: ChunkChanges): ChunkChanges {
  return { root: { ...root, usage: undefined }, choice: { ...choice, finish_reason: 'null' }, delta };
}

/** The id and the time of a response, as JSON. */
export type Identity = Readonly<Record<string, string>>;

/** Returns the identity of a response, given as JSON, as far as it has one. */
export function identityIn(text: string): Identity {
  const [id, created] = [memberOf(text, 'id'), memberOf(text, 'created')];
  return { ...(id !== undefined && { id }), ...(created !== undefined && { created }) };
}

/** Returns the identity of a chunk; undefined when it has no id. */
export function identityOf(chunk: JsonObject, text: string): Identity | undefined {
  return textOrNone(chunk.id) === undefined ? undefined : identityIn(text);
}

/** Returns a chunk that holds only parts of calls, given as JSON. `identity` are further members, as JSON. */
export function writeCallsChunk(identity: Identity = {}, calls: readonly string[]): string {
  const choice = `{"index":0,"delta":{"tool_calls":[${calls.join(',')}]},"finish_reason":null}`;
  return editChunk(`{"object":"chat.completion.chunk","choices":[${choice}]}`, { root: identity });
}

/** Returns the delta of a chunk's first choice; empty when there is none. */
export function deltaOf(chunk: JsonObject): JsonObject {
  const delta = objectsIn(chunk.choices)[0]?.delta;
  return isJsonObject(delta) ? delta : {};
}

/** Whether any field of a delta has a value other than null, an empty text or an empty list. */
export function hasNews(delta: JsonObject): boolean {
  return Object.values(delta).some(
    (value) =>
      value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
}

/** Whether a chunk has content in addition to its role and its calls, which are judged separately. */
export function hasVisibleNews(chunk: JsonObject): boolean {
  const { role, tool_calls, ...rest } = deltaOf(chunk);
  return hasNews(rest);
}

/** Returns a whole response as one equivalent chunk. */
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
