import type { RequestView } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { isBindingModel } from '../turns/binding-models.ts';
import { type BlockDialect, blockTurns } from '../turns/block-turns.ts';
import { isToolUse, readBlocks } from './read-blocks.ts';
import { visibleForm } from './visible-form.ts';

/** The blocks of Messages. */
export const dialect: BlockDialect = {
  format: 'anthropic-messages',
  readBlocks,
  callOf: (block) => (isToolUse(block) ? block : undefined),
  isThinking: ({ type }) => type === 'thinking' || type === 'redacted_thinking',
  signatureOf: ({ type, signature, data }) => {
    const signs = type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined;
    return typeof signs === 'string' && signs !== '' ? signs : undefined;
  },
  visibleForm,
  saidInBlock,
  // With a thinking budget the provider insists on one where thinking is not bound.
  keepsThinking: (view) => hasBudget(view) && !isBindingModel(view.model),
  askedThinking: ({ thinking }) => thinking,
};

/** The turns of Messages. */
export const turns = blockTurns(dialect);

/**
 * Whether a request without the thinking of earlier turns may not think itself: with a budget, a turn that is going on has to begin with
 * thinking, and where thinking is bound there is none left that would be accepted.
 */
export function mustNotThink(view: RequestView): boolean {
  if (!hasBudget(view) || dialect.keepsThinking(view)) return false;
  return readBlocks(view.history.at(-1)).some(({ type }) => type === 'tool_result');
}

/** Source: the vendor's guide to extended thinking. */
function hasBudget({ body }: RequestView): boolean {
  return isJsonObject(body.thinking) && body.thinking.type === 'enabled';
}

/**
 * What a client wrote itself it sends again as it was, but for cache marks and a string in place of a block. Histories are megabytes of it.
 */
function saidInBlock(block: JsonObject): string {
  const { type, text, tool_use_id: callId, content } = block;
  if (type === 'text') return String(text);
  if (type === 'tool_result' && typeof content === 'string') return `${callId}:${content}`;
  return visibleForm([block]);
}
