import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { isToolUse } from './read-blocks.ts';

/**
 * What a message says, equal for all the ways in which clients send back what they were sent.
 *
 * Cache marks, callers and null members do not count, nor does a string in place of one block of text, the division of
 * text into blocks, or its white space, which clients trim. Thinking is known by its signature. Everything else counts:
 * what the client changed on purpose must not be undone. Empty when the message says nothing.
 */
export function visibleForm(blocks: readonly JsonObject[]): string {
  const parts: string[] = [];
  let text = '';
  for (const block of blocks) {
    if (block.type === 'text') {
      text += String(block.text).replace(/\s+/g, '');
      continue;
    }
    if (text !== '') parts.push(JSON.stringify(text));
    text = '';
    parts.push(JSON.stringify(normalise(identityOf(block))));
  }
  if (text !== '') parts.push(JSON.stringify(text));
  return parts.join();
}

/** The same of a message from which all thinking was taken, as some clients take it before they send a message back. */
export function withoutThinking(form: string): string {
  const parts = JSON.parse(`[${form}]`) as unknown[];
  const spoken = parts.filter((part) => !Array.isArray(part) || part[0] !== THINKING);
  // Texts that thinking had parted are one again.
  return joinTexts(spoken)
    .map((part) => JSON.stringify(part))
    .join();
}

function joinTexts(parts: readonly unknown[]): unknown[] {
  const joined: unknown[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}

const THINKING = 'thinking';

function identityOf(block: JsonObject): unknown {
  if (block.type === 'thinking') return [THINKING, block.signature || block.thinking];
  if (block.type === 'redacted_thinking') return [THINKING, block.data];
  return isToolUse(block) ? ['tool_use', block.id, block.name, block.input] : block;
}

const UNCOUNTED = new Set(['cache_control', 'caller']);

/** Members in the order of their names, since some clients sort them. */
function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalise);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([key, member]) => member !== null && !UNCOUNTED.has(key));
  return members
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => [key, normalise(member)]);
}
