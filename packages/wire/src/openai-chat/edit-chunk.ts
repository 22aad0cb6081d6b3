import { type StreamEvent, withData } from '../framing/wire-event.ts';
import type { Identity } from '../joining/chunk-reducer.ts';
import { withChangesAt, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, type MemberChanges, objectsIn } from '../json/json-splice.ts';
import { callsOf } from './read-message.ts';

/** The edited places of a chunk or of a whole response. */
export const CHUNK = {
  root: [],
  choice: ['choices'],
  delta: ['choices', 'delta'],
  message: ['choices', 'message'],
} as const;

/** Changes of a chunk, by place. Everything that is not named stays unchanged. */
export type ChunkChanges = Readonly<Partial<Record<'root' | 'choice' | 'delta', MemberChanges>>>;

/** Returns the event with a changed chunk. */
export function editChunk(event: StreamEvent, changes: ChunkChanges): StreamEvent {
  return withData(event, withChangesAt(event.data, CHUNK, changes));
}

/** Splits the last chunk of a response into its stop, together with the usage, and the rest. */
export function splitEnd(event: StreamEvent, { root, choice, delta }: Required<ChunkChanges>) {
  return {
    stop: editChunk(event, { root, choice: { ...choice, delta: '{}' } }),
    rest: editChunk(event, {
      root: { ...root, usage: undefined },
      choice: { ...choice, finish_reason: 'null' },
      delta,
    }),
  };
}

/** Returns an event with only parts of calls, given as JSON. `identity` are further members, as JSON. */
export function callsEvent(identity: Identity = {}, calls: readonly string[]): StreamEvent {
  const choice = `{"index":0,"delta":{"tool_calls":[${calls.join(',')}]},"finish_reason":null}`;
  const data = withMembers(`{"object":"chat.completion.chunk","choices":[${choice}]}`, identity);
  return { kind: 'event', data };
}

/** Returns the delta of a chunk's first choice; empty when there is none. */
export function deltaOf(chunk: JsonObject): JsonObject {
  const delta = objectsIn(chunk.choices)[0]?.delta;
  return isJsonObject(delta) ? delta : {};
}

/** Whether a delta has a field, besides its role and its calls, that is not null or empty. */
export function hasNews({ role, tool_calls, ...rest }: JsonObject): boolean {
  return Object.values(rest).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined && value !== '',
  );
}

/** Returns a whole response as one equivalent chunk. */
export function chunkFromWhole(response: JsonObject): JsonObject {
  const choices = objectsIn(response.choices).map(({ message, ...choice }) => {
    if (!isJsonObject(message)) return { ...choice, delta: {} };
    const calls = callsOf(message).map((call, index) => ({ index, ...call }));
    return { ...choice, delta: { ...message, ...(calls.length > 0 && { tool_calls: calls }) } };
  });
  return { ...response, object: 'chat.completion.chunk', choices };
}
