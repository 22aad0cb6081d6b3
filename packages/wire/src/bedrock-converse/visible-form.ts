import type { JsonObject } from '../json/json-splice.ts';
import { writeForm } from '../turns/visible-form.ts';
import { isReasoning, signatureOf, toolUseOf } from './read-blocks.ts';

/**
 * The normal form of a message, equal for all the ways in which clients send back what they were sent.
 *
 * White space, the division of text into blocks, cache points and null members do not count. Thinking is known by its signature. Everything
 * else counts: what the client changed on purpose must not be undone. Empty when the message says nothing.
 */
export function visibleForm(blocks: readonly JsonObject[]): string {
  return writeForm(blocks.filter((block) => !('cachePoint' in block)).map(meaningOf));
}

function meaningOf(block: JsonObject): string | object {
  if (typeof block.text === 'string') return block.text;
  if (isReasoning(block)) return ['thinking', signatureOf(block) ?? block];
  const call = toolUseOf(block);
  return call === undefined ? block : ['call', call.toolUseId, call.name, call.input];
}
