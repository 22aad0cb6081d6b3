import { parseJson } from '@winnow/text';
import type { CompleteAnswer, CompletePart, IdentifiedCall } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { normalMessages } from './normal-messages.ts';
import { signThinking } from './thinking-signature.ts';

/** Finished blocks of one answer. Every thinking block is signed for its place among them. */
export interface BlockWriter {
  /** The block that a part is in the end; the next one is signed with it before it. `text` is all that its pieces say. */
  finish(part: BlockPart, text: string): JsonObject;
}

/** A part that is a content block. */
export type BlockPart = Extract<CompletePart, { type: 'text' | 'thinking' | 'call' | 'block' }>;

/** Whether a part is a block of its own, and not something that happens between blocks. */
export function isBlockPart(part: CompletePart): part is BlockPart {
  return ['text', 'thinking', 'call', 'block'].includes(part.type);
}

/** Whether the client asked for signatures without the thinking itself. */
export function omitsThinking({ thinking }: JsonObject): boolean {
  return isJsonObject(thinking) && thinking.display === 'omitted';
}

/** Writes the blocks of an answer to the request with this body. */
export function createBlockWriter(body: JsonObject): BlockWriter {
  const before = normalMessages(body.messages);
  // An answer that goes on with the last assistant message belongs to that message.
  const continued = before.at(-1)?.role === 'assistant' ? before.pop() : undefined;
  const earlierBlocks: JsonObject[] = [...(continued?.blocks ?? [])];
  return {
    finish(part, text) {
      const block = writeBlock(part, text);
      const signed =
        part.type === 'thinking'
          ? { ...block, signature: signThinking(text, { body, before, earlierBlocks }) }
          : block;
      earlierBlocks.push(signed);
      return signed;
    },
  };
}

function writeBlock(part: BlockPart, text: string): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text, citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: text };
    case 'call':
      // Arguments that were cut off by `max_tokens` have no whole form.
      return writeCall(part, parseJson(text) ?? {});
    case 'block':
      return part.block;
  }
}

/** A call, made by the model itself and not by code that it runs. */
export function writeCall({ id, name, fields }: IdentifiedCall, input: unknown): JsonObject {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' }, ...fields };
}

/** The parts of an answer that are blocks. */
export function blockParts({ parts }: CompleteAnswer): BlockPart[] {
  return parts.filter(isBlockPart);
}
