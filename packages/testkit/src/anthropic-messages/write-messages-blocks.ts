import { parseJson } from '@winnow/core';
import type { CompleteAnswer, CompletePart, IdentifiedCall } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { normalMessages } from './normal-messages.ts';
import { signThinking } from './thinking-signature.ts';

/** Finished blocks of one response. Every thinking block is signed for its position among them. */
export interface BlockWriter {
  /**
   * Returns the complete block of a part, and remembers it for the signature of the next one. `text` is the
   * concatenation of its pieces.
   */
  finish(part: BlockPart, text: string): JsonObject;
}

/** A part that is a content block. */
export type BlockPart = Extract<CompletePart, { type: 'text' | 'thinking' | 'call' | 'block' }>;

/** Whether a part is a content block, not an event between blocks. */
export function isBlockPart(part: CompletePart): part is BlockPart {
  return ['text', 'thinking', 'call', 'block'].includes(part.type);
}

/** Whether the client asked for signatures without the thinking text. */
export function omitsThinking({ thinking }: JsonObject): boolean {
  return isJsonObject(thinking) && thinking.display === 'omitted';
}

/** Creates a writer of blocks for the response to the request with this body. */
export function createBlockWriter(body: JsonObject): BlockWriter {
  const before = normalMessages(body.messages);
  // A response that continues the last assistant message belongs to that message.
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
      // Arguments cut off by `max_tokens` cannot be parsed.
      return writeCall(part, parseJson(text) ?? {});
    case 'block':
      return part.block;
  }
}

/** A call that the model made itself, not through code that it runs. */
export function writeCall({ id, name, fields }: IdentifiedCall, input: unknown): JsonObject {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' }, ...fields };
}

/** The parts of a response that are content blocks. */
export function blockParts({ parts }: CompleteAnswer): BlockPart[] {
  return parts.filter(isBlockPart);
}
