import type { MemberChanges } from '@winnow/core';
import { type StreamEvent, withData } from '../framing/framing.ts';
import type { Identity } from '../joining/chunk-reducer.ts';
import { seamBetween } from '../joining/seam.ts';
import { withChangesAt, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../json/json-value.ts';

/**
 * Returns the text of a message's content: a string, or the joined text parts of a list. Empty when there is
 * none.
 */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

/** Returns the calls of an assistant message. */
export function callsOf(message: JsonObject): JsonObject[] {
  return objectsIn(message.tool_calls);
}

/**
 * Returns the name of the function or custom tool in a call, or in a part of one; empty when it is missing.
 */
export function calledName(call: JsonObject): string {
  const called = isJsonObject(call.function) ? call.function : call.custom;
  return isJsonObject(called) && typeof called.name === 'string' ? called.name : '';
}

/**
 * Returns the original arguments of a call: text, or an object from some servers. Undefined when there are
 * none.
 */
export function calledArguments(call: JsonObject): unknown {
  return isJsonObject(call.function) ? call.function.arguments : undefined;
}

/** The way lists are joined: by the `index` of their items, or by appending. */
type ListJoin = 'by_index' | 'append';

/**
 * Adds a delta to a message like OpenAI's own clients, for known and unknown fields alike.
 *
 * Texts grow, numbers and flags are replaced, objects are merged, list items are matched by their `index`;
 * null adds nothing. Servers repeat names and kinds in every delta (`role`, `type`, `format`), so these are
 * replaced as well. Source: `accumulate_delta` of openai-python, which adds numbers instead; no server sends
 * numbers in pieces.
 */
export function mergeDelta(message: JsonObject, delta: JsonObject): JsonObject {
  return mergeObjects(message, delta, 'by_index');
}

/** Joins two messages of one turn, as a client would if they came in one stream. Their texts are set apart. */
export function joinMessages(earlier: JsonObject, later: JsonObject): JsonObject {
  const seam = seamBetween(contentText(earlier.content), contentText(later.content));
  const added = hasThoughts(earlier) ? withoutThoughts(later, isTextSigned(earlier)) : later;
  const apart = seam === '' ? added : { ...added, content: withSeam(later.content, seam) };
  return mergeObjects(earlier, apart, 'append');
}

/** Returns content with a seam in front of its first text. */
export function withSeam(content: unknown, seam: string): unknown {
  if (typeof content === 'string') return seam + content;
  const parts = content as readonly JsonObject[];
  const first = parts.find((part) => contentText([part]) !== '');
  return parts.map((part) => (part === first ? { ...first, text: seam + contentText([first]) } : part));
}

/** Fields whose text is a name and does not grow. */
const NAMING_FIELDS: ReadonlySet<string> = new Set(['role', 'type', 'id', 'name', 'format', 'index']);

function mergeObjects(earlier: JsonObject, later: JsonObject, lists: ListJoin): JsonObject {
  const merged: Record<string, unknown> = { ...earlier };
  for (const [field, value] of Object.entries(later)) {
    if (field === 'content') merged[field] = mergeContent(merged[field], value, lists);
    else if (NAMING_FIELDS.has(field) && value !== null) merged[field] = value;
    else merged[field] = merge(merged[field], value, lists);
  }
  return merged;
}

/**
 * Joins contents. Content may be a text or a list of parts, and may change between them within a message; an
 * empty text adds nothing.
 */
function mergeContent(earlier: unknown, later: unknown, lists: ListJoin): unknown {
  if (!Array.isArray(earlier) && !Array.isArray(later)) return merge(earlier, later, lists);
  const added = partsOf(later);
  if (lists === 'append') return [...partsOf(earlier), ...added];
  return added.reduce(addPart, partsOf(earlier));
}

function partsOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}

/** Adds a part. Texts and thoughts arrive word by word: adjacent ones become one, and a signature closes a thought. */
function addPart(parts: readonly unknown[], part: unknown): readonly unknown[] {
  const last = parts.at(-1);
  if (!isJsonObject(last) || !isJsonObject(part) || !continuesPart(last, part)) return [...parts, part];
  const type = String(part.type);
  const whole = { ...last, ...part, [type]: merge(last[type], part[type], 'append') };
  return [...parts.slice(0, -1), whole];
}

function continuesPart(last: JsonObject, part: JsonObject): boolean {
  if (last.type !== part.type) return false;
  if (part.type === 'thinking') return !last.signature;
  const isText = (one: JsonObject) => Object.keys(one).every((key) => key === 'type' || key === 'text');
  return part.type === 'text' && isText(last) && isText(part);
}

function merge(earlier: unknown, later: unknown, lists: ListJoin): unknown {
  if (later === null || later === undefined) return earlier === undefined ? later : earlier;
  if (typeof earlier === 'string' && typeof later === 'string') return earlier + later;
  if (Array.isArray(earlier) && Array.isArray(later)) {
    if (lists === 'by_index' && isThoughtList(later))
      return later.reduce<unknown[]>(addThought, [...earlier]);
    return lists === 'append' ? [...earlier, ...later] : mergeByIndex(earlier, later);
  }
  return isJsonObject(earlier) && isJsonObject(later) ? mergeObjects(earlier, later, lists) : later;
}

function mergeByIndex(earlier: readonly unknown[], later: readonly unknown[]): unknown[] {
  const merged = [...earlier];
  for (const item of later) {
    const index = indexOf(item);
    const position = index === undefined ? -1 : merged.findIndex((other) => indexOf(other) === index);
    if (position === -1) merged.push(item);
    else merged[position] = merge(merged[position], item, 'by_index');
  }
  return merged;
}

function indexOf(item: unknown): number | undefined {
  return isJsonObject(item) && typeof item.index === 'number' ? item.index : undefined;
}

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

/**
 * Whether a list holds a model's reasoning in blocks. Servers sign or encrypt them, and refuse a block that was
 * changed, or joined with another one.
 */
export function isThoughtList(value: unknown): value is readonly JsonObject[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(
    (block) =>
      isJsonObject(block) && (THOUGHT.test(String(block.type)) || typeof block.signature === 'string'),
  );
}

const THOUGHT = /reason|think|thought/i;

/** The names of fields that sign or encrypt the reasoning next to them, such as `reasoning_opaque`. */
const SIGNING_FIELD = /signature|opaque|encrypted/i;

const FIELDS_WITHOUT_THOUGHTS: ReadonlySet<string> = new Set(['content', 'tool_calls', 'function_call']);

/** Whether a message, or a delta, has reasoning that servers check. */
export function hasThoughts(fields: JsonObject): boolean {
  const isSigned = objectsIn(fields.content).some((part) => isThoughtPart(part) && part.signature);
  return (
    isSigned ||
    Object.entries(fields).some(([field, value]) => !isUnchecked(field) && isThought(field, value))
  );
}

/** Whether a part of a content is a thought, as Mistral has them. */
export function isThoughtPart(part: unknown): boolean {
  return isJsonObject(part) && part.type === 'thinking';
}

function isUnchecked(field: string): boolean {
  return FIELDS_WITHOUT_THOUGHTS.has(field);
}

function isThought(field: string, value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && SIGNING_FIELD.test(field);
  return isThoughtList(value) || (isJsonObject(value) && hasThoughts(value));
}

/** Whether the reasoning in a message is a text whose signature is another text. */
export function isTextSigned(fields: JsonObject): boolean {
  return Object.entries(fields).some(
    ([field, value]) => typeof value === 'string' && value !== '' && SIGNING_FIELD.test(field),
  );
}

/**
 * Returns a message, or a delta, without the reasoning that servers check: a client that has such reasoning of
 * an earlier round cannot take any of another one, because clients join the two, each in its own way.
 */
export function withoutThoughts(fields: JsonObject, isText: boolean): JsonObject {
  const left = Object.entries(fields).flatMap(([field, value]): [string, unknown][] => {
    if (field === 'content' && Array.isArray(value)) {
      const parts = value.filter((part) => !isThoughtPart(part));
      return parts.length > 0 ? [[field, parts]] : [];
    }
    if (isUnchecked(field)) return [[field, value]];
    if (isText && typeof value === 'string' && THOUGHT.test(field)) return [];
    if (!isThought(field, value)) return [[field, value]];
    const rest = isJsonObject(value) ? withoutThoughts(value, isText) : {};
    return Object.keys(rest).length > 0 ? [[field, rest]] : [];
  });
  return Object.fromEntries(left);
}

/**
 * Adds a piece of reasoning to the blocks before it, as the clients of the servers do: OpenRouter numbers its
 * blocks, LiteLLM does not; text grows until a signature closes its block; an encrypted block comes whole.
 *
 * Source: `get_combined_thinking_content` of BerriAI/litellm, the streams of OpenRouterTeam/ai-sdk-provider.
 */
function addThought(blocks: unknown[], piece: unknown): unknown[] {
  const next = piece as JsonObject;
  const at = blocks.findLastIndex(
    (block) => isJsonObject(block) && (block.index ?? next.index) === next.index,
  );
  const last = blocks[at];
  const isNeighbour = next.index !== undefined || at === blocks.length - 1;
  if (!isJsonObject(last) || !isNeighbour || !continues(last, next)) return [...blocks, next];
  return blocks.with(at, mergeObjects(last, next, 'by_index'));
}

function continues(block: JsonObject, { type, id, data, signature, ...rest }: JsonObject): boolean {
  const isOfOneKind = (type ?? block.type) === (block.type ?? type) && (id ?? block.id) === (block.id ?? id);
  const isClosed = Boolean(block.signature) && (Boolean(signature) || Object.entries(rest).some(isText));
  return isOfOneKind && !isClosed && !(block.data && data);
}

function isText([field, value]: readonly [string, unknown]): boolean {
  return typeof value === 'string' && value !== '' && !NAMING_FIELDS.has(field);
}

/** Whether a block of reasoning belongs to a call: an encrypted one that is not an item of OpenAI's. */
export function isTiedToCall({ id, data, format }: JsonObject): boolean {
  if (typeof data !== 'string') return false;
  return /google|gemini/i.test(String(format)) || (typeof id === 'string' && !id.startsWith('rs_'));
}

/**
 * Returns a block of reasoning under the id of the first call that the client sees; undefined for one that
 * belongs to a call when there is none. OpenRouter's server wants one such block for each turn, with the id of
 * its first call. Source: RooCodeInc/Roo-Code#10640
 */
export function tiedToCall(block: JsonObject, callId: string | undefined): JsonObject | undefined {
  if (!isTiedToCall(block)) return block;
  return callId === undefined ? undefined : { ...block, ...(block.id !== undefined && { id: callId }) };
}

/**
 * Returns the calls that the client sees with the signature of the whole turn, which Gemini's endpoint gives the
 * first call. Source: https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function withSignature(
  calls: readonly JsonObject[],
  all: readonly JsonObject[],
): readonly JsonObject[] {
  const signature = all[0]?.extra_content;
  const [first, ...others] = calls;
  const isLost = signature !== undefined && first !== undefined && first.extra_content === undefined;
  return isLost ? [{ ...first, extra_content: signature }, ...others] : calls;
}
