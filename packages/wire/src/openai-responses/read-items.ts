import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';

/** Whether an item is a message, by its type, or by a role without a type. */
export function isMessage({ type, role }: JsonObject): boolean {
  return type === 'message' || ((type === undefined || type === null) && role !== undefined);
}

/**
 * Returns the words of a message's content: a string, or the texts of its parts. Empty when there are none.
 */
export function contentWords(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(
    ({ text, refusal }) => textOrNone(text) ?? textOrNone(refusal) ?? [],
  );
  return texts.reduce(
    (words, text) => (/(^|\s)$/.test(words) || /^\s/.test(text) ? words + text : `${words} ${text}`),
    '',
  );
}

/** Types of items that the client writes, in addition to messages and the types that end in `_output`. */
const OF_CLIENT: ReadonlySet<unknown> = new Set([
  'mcp_approval_response',
  'additional_tools',
  'configuration_update',
  'compaction_trigger',
]);

/**
 * Whether the model made an item of a history. References count: clients refer to items from the provider and
 * write out their own. The output of a tool that the provider ran counts as the model's.
 */
export function isOfModel(item: unknown): item is JsonObject {
  if (!isJsonObject(item)) return false;
  const { type, role, execution } = item;
  if (isMessage(item)) return role === 'assistant';
  if (typeof type !== 'string' || OF_CLIENT.has(type)) return false;
  if (type === 'tool_search_output') return execution === 'server';
  return !type.endsWith('_output') || type === 'program_output';
}

/** Whether an item is the model's reasoning or a reference to it. */
export function isReasoning({ type, id }: JsonObject): boolean {
  return type === 'reasoning' || (type === 'item_reference' && String(id).startsWith('rs_'));
}

/** A call of a function, by the model itself or by one of its programs. */
export interface FunctionCall extends JsonObject {
  readonly call_id: string;
  readonly name: string;
}

/** Whether an item is a call of one of the client's functions. */
export function isFunctionCall(item: JsonObject): item is FunctionCall {
  return item.type === 'function_call' && typeof item.call_id === 'string' && typeof item.name === 'string';
}

/**
 * Returns the name of the called function, qualified by its namespace. A function that was loaded on its own
 * is called in a namespace of its own name, which was never declared.
 */
export function calledName({ name, namespace }: JsonObject): string {
  const own = typeof name === 'string' ? name : '';
  return typeof namespace === 'string' && namespace !== '' && namespace !== own ? `${namespace}.${own}` : own;
}
