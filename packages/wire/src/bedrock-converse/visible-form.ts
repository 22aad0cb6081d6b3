import type { JsonObject } from '../json/json-splice.ts';
import { writeForm } from '../turns/visible-form.ts';
import { isReasoning, signatureOf, toolUseOf } from './read-blocks.ts';

/**
 * Returns the normal form of a message, which is the same for all the ways in which clients send it back.
 *
 * The form ignores white space, the division of text into blocks, cache points and null members. A signature
 * identifies thinking. Everything else counts, because a client's deliberate changes must stay. Empty when
 * the message has no content.
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
