import type { JsonObject } from '../json/json-splice.ts';
import { writeForm } from '../turns/visible-form.ts';
import { isToolUse } from './read-blocks.ts';

const UNCOUNTED: ReadonlySet<string> = new Set(['cache_control', 'caller']);

/**
 * The normal form of a message, equal for all the ways in which clients send back what they were sent.
 *
 * Cache marks, callers and null members do not count, nor does a string in place of one block of text, the division of
 * text into blocks, or its white space, which clients trim. Thinking is known by its signature. Everything else counts:
 * what the client changed on purpose must not be undone. Empty when the message says nothing.
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
