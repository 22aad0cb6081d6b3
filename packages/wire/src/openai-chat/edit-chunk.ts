import {
  changeMembers,
  type Edit,
  isJsonObject,
  type JsonObject,
  type MemberChanges,
  memberSpan,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from '../json/json-splice.ts';
import { firstObject } from './first-object.ts';
import { objectsIn } from './read-message.ts';

/** What a chunk is to become. Everything that is not named stays as it was. */
export interface ChunkChanges {
  readonly root?: MemberChanges | undefined;
  readonly choice?: MemberChanges | undefined;
  readonly delta?: MemberChanges | undefined;
}

/** The text of a chunk with members of it, of its first choice and of that choice's delta changed. */
export function editChunk(text: string, { root = {}, choice = {}, delta = {} }: ChunkChanges): string {
  // Most chunks are not edited at all, and need not be looked through.
  if ([root, choice, delta].every((changes) => Object.keys(changes).length === 0)) return text;
  const rootSpan = valueSpan(text);
  const edits: Edit[] = changeMembers(text, rootSpan, root);
  const choices = memberSpan(text, rootSpan.start, 'choices');
  const choiceSpan = choices && firstObject(text, choices);
  if (choiceSpan !== undefined) edits.push(...changeMembers(text, choiceSpan, choice));
  const deltaSpan = choiceSpan && memberSpan(text, choiceSpan.start, 'delta');
  if (deltaSpan !== undefined) edits.push(...changeMembers(text, deltaSpan, delta));
  return splice(text, edits);
}

/** A chunk that holds nothing but parts of calls, given as JSON. `identity` are members of its own, as JSON. */
export function writeCallsChunk(identity: MemberChanges = {}, calls: readonly string[]): string {
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

/** The JSON of some members of an object, exactly as they stand there. */
export function rawMembers(text: string, keys: readonly string[]): Record<string, string> {
  const start = valueStart(text);
  return Object.fromEntries(
    keys.flatMap((key) => {
      const span = memberSpan(text, start, key);
      return span === undefined ? [] : [[key, textOf(text, span)]];
    }),
  );
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
