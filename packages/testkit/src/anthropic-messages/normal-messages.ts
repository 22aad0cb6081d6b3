import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';

/** A message whose content is a list of blocks. */
export interface NormalMessage {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
  /** Position in `messages` of the first message that went into this one. */
  readonly position: number;
}

/**
 * The messages as the provider reads them: text content as one text block, neighbours of one role as one message.
 *
 * System messages inside the conversation are never merged: their place is what they say.
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

/** Content as a list of blocks. */
export function normalBlocks(content: unknown): JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

/**
 * The block without what may change between two requests that say the same: cache marks, members that are null or say what
 * goes without saying, and texts in place of lists.
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

/** A `caller` that is the model itself; clients leave it out. */
function isDirect(value: unknown): boolean {
  return isJsonObject(value) && value.type === 'direct';
}
