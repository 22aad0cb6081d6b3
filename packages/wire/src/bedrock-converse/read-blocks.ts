import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/** Returns the content blocks of a message; elements that are not blocks are left out. */
export function readBlocks(message: unknown): readonly JsonObject[] {
  const content = isJsonObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** A call for the client. */
export interface ToolUse extends JsonObject {
  readonly toolUseId: string;
  readonly name: string;
}

/**
 * Returns the call in a block; undefined when there is none. Calls that the provider runs itself do not
 * count.
 */
export function toolUseOf({ toolUse }: JsonObject): ToolUse | undefined {
  if (!isJsonObject(toolUse) || toolUse.type === 'server_tool_use') return undefined;
  const { toolUseId, name } = toolUse;
  return typeof toolUseId === 'string' && typeof name === 'string' ? (toolUse as ToolUse) : undefined;
}

/** Returns the id of the call that a result block answers; undefined for any other block. */
export function resultIdOf({ toolResult }: JsonObject): string | undefined {
  const id = isJsonObject(toolResult) ? toolResult.toolUseId : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Whether a block is thinking. */
export function isReasoning(block: JsonObject): boolean {
  return isJsonObject(block.reasoningContent);
}

/** Returns the signature of a thinking block, or its redacted content; undefined for any other block. */
export function signatureOf({ reasoningContent: reasoning }: JsonObject): string | undefined {
  if (!isJsonObject(reasoning)) return undefined;
  const { reasoningText: text, redactedContent: redacted } = reasoning;
  const signature = isJsonObject(text) ? text.signature : redacted;
  return typeof signature === 'string' && signature !== '' ? signature : undefined;
}

/** Returns the text blocks of a message, joined by line feeds; empty when there are none. */
export function readText(message: unknown): string {
  return readBlocks(message)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}
