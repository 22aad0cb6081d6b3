import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/**
 * Returns the content blocks of a message. A plain string is one text block; elements that are not blocks are
 * left out.
 */
export function readBlocks(message: unknown): readonly JsonObject[] {
  const content = isJsonObject(message) ? message.content : undefined;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** A call for the client: of one of its tools, or of a member of a toolset, which has its own name. */
export interface ToolUse extends JsonObject {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
}

/** Whether a block is a call of a tool that the client runs. */
export function isToolUse(block: JsonObject): block is ToolUse {
  return block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string';
}

/** Returns the text blocks of a message, joined by line feeds; empty when there are none. */
export function readText(message: unknown): string {
  return readBlocks(message)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
}

/** Whether a block is thinking that the provider signed. */
export function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
