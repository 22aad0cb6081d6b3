import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { isReasoning, signatureOf, toolUseOf } from './read-blocks.ts';

/**
 * What a message says, equal for all the ways in which clients send back what they were sent.
 *
 * White space, the division of text into blocks, cache points and null members do not count. Thinking is known by its signature. Everything
 * else counts: what the client changed on purpose must not be undone. Empty when the message says nothing.
 */
export function visibleForm(blocks: readonly JsonObject[]): string {
  const parts: string[] = [];
  let text = '';
  for (const block of blocks) {
    if ('cachePoint' in block) continue;
    if (typeof block.text === 'string') {
      text += block.text.replaceAll(/\s+/g, '');
      continue;
    }
    if (text !== '') parts.push(JSON.stringify(text));
    text = '';
    parts.push(JSON.stringify(normalise(meaningOf(block))));
  }
  if (text !== '') parts.push(JSON.stringify(text));
  return parts.join();
}

/** The same of a message without its thinking, which some clients do not send back. */
export function spokenForm(blocks: readonly JsonObject[]): string {
  return visibleForm(blocks.filter((block) => !isReasoning(block)));
}

function meaningOf(block: JsonObject): unknown {
  if (isReasoning(block)) return ['thinking', signatureOf(block) ?? block];
  const call = toolUseOf(block);
  return call === undefined ? block : ['call', call.toolUseId, call.name, call.input];
}

/** Members in the order of their names, since some clients sort them. */
function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalise);
  if (!isJsonObject(value)) return value;
  return Object.entries(value)
    .filter(([, member]) => member !== null)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => [key, normalise(member)]);
}
