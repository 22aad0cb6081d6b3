import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';

/** A message whose content is a list of blocks. */
export interface NormalMessage {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
  /** Position in `messages` of the first message that was merged into this one. */
  readonly position: number;
}

/**
 * Returns the messages as the provider reads them: string content becomes one text block, and adjacent
 * messages of one role become one message.
 *
 * System messages within the conversation are never merged, because their position matters.
 */
export function normalMessages(messages: unknown): NormalMessage[] {
  const merged: NormalMessage[] = [];
  for (const [position, message] of objectsOf(messages).entries()) {
    const role = String(message.role);
    const blocks = normalBlocks(message.content);
    const last = merged.at(-1);
    if (last?.role === role && role !== 'system') {
      merged[merged.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] };
    } else merged.push({ role, blocks, position });
  }
  return merged;
}

/** Returns content as a list of blocks. */
export function normalBlocks(content: unknown): JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

/**
 * Returns the block without anything that may differ between equivalent requests: cache marks, null members,
 * default values, and strings in place of lists.
 */
export function comparableBlock(block: JsonObject): JsonObject {
  const entries = Object.entries(block)
    .filter(([name, value]) => name !== 'cache_control' && value !== null && !isDirect(value))
    .map(([name, value]): [string, unknown] => {
      if (name === 'content') return [name, normalBlocks(value).map(comparableBlock)];
      return [name, isJsonObject(value) && name === 'source' ? comparableBlock(value) : value];
    });
  return Object.fromEntries(entries);
}

/** A `caller` that names the model itself; clients omit it. */
function isDirect(value: unknown): boolean {
  return isJsonObject(value) && value.type === 'direct';
}
