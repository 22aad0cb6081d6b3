import type { JsonObject } from '../json/json-splice.ts';
import { writeForm } from '../turns/visible-form.ts';
import { isToolUse } from './read-blocks.ts';

const UNCOUNTED: ReadonlySet<string> = new Set(['cache_control', 'caller']);

/**
 * Returns the normal form of a message, which is the same for all the ways in which clients send it back.
 *
 * The form ignores cache marks, callers, null members, a string in place of one text block, the division of
 * text into blocks, and white space, which clients trim. A signature identifies thinking. Everything else
 * counts, because a client's deliberate changes must stay. Empty when the message has no content.
 */
export function visibleForm(blocks: readonly JsonObject[]): string {
  return writeForm(blocks.map(meaningOf), UNCOUNTED);
}

function meaningOf(block: JsonObject): string | object {
  if (block.type === 'text') return String(block.text);
  if (block.type === 'thinking') return ['thinking', block.signature || block.thinking];
  if (block.type === 'redacted_thinking') return ['thinking', block.data];
  return isToolUse(block) ? ['tool_use', block.id, block.name, block.input] : block;
}
