import { foundLine } from '@winnow/core';
import type { LoadMode, RequestView } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { type BlockDialect, blockTurns, isBindingModel } from '../turns/block-turns.ts';
import type { DeclaredTools, KeptResult } from '../turns/kept-result.ts';
import { writeForm } from '../turns/visible-form.ts';
import { isThinking, isToolUse, readBlocks } from './read-request.ts';

/** The blocks of Messages. */
export const dialect: BlockDialect = {
  format: 'anthropic-messages',
  readBlocks,
  callOf: (block) => (isToolUse(block) ? block : undefined),
  isThinking,
  signatureOf: ({ type, signature, data }) => {
    const signs = type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined;
    return typeof signs === 'string' && signs !== '' ? signs : undefined;
  },
  visibleForm,
  saidInBlock,
  // With a thinking budget, the provider requires thinking wherever it is not bound.
  keepsThinking: (view) => hasBudget(view) && !isBindingModel(view.model),
  askedThinking: ({ thinking }) => thinking,
};

/** The turns of Messages. */
export const turns = blockTurns(dialect);

/**
 * Whether a request without the thinking of earlier turns must disable thinking. With a budget, an unfinished
 * turn has to begin with thinking; where thinking is bound, no acceptable thinking is left.
 */
export function mustNotThink(view: RequestView): boolean {
  if (!hasBudget(view) || dialect.keepsThinking(view)) return false;
  return readBlocks(view.history.at(-1)).some(({ type }) => type === 'tool_result');
}

/** Whether a request sets a budget for thinking. Source: the vendor's guide to extended thinking. */
export function hasBudget({ body }: RequestView): boolean {
  return isJsonObject(body.thinking) && body.thinking.type === 'enabled';
}

/**
 * Returns the text that identifies a block. Clients resend their own content unchanged, except for cache
 * marks and a string in place of a block. Plain texts are the fast path: histories hold megabytes of them.
 */
function saidInBlock(block: JsonObject): string {
  const { type, text, tool_use_id: callId, content } = block;
  if (type === 'text') return String(text);
  if (type === 'tool_result' && typeof content === 'string') return `${callId}:${content}`;
  return visibleForm([block]);
}

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

/** The style in which results are written. */
export interface ResultStyle {
  readonly loadMode: LoadMode;
  /**
   * The tools that the request declares. The API rejects a reference to any other name, and clients do remove
   * tools.
   */
  readonly declared: DeclaredTools;
  /**
   * The tools that the request refers to so far, in the order of its text: results are written in their order.
   * Undefined where the provider may remove earlier results.
   */
  readonly referred: Set<string> | undefined;
}

/**
 * Returns one `tool_result` as JSON. In swap and bridge mode it is text. In native mode it holds
 * references, which the provider replaces with definitions, and one line of text. A tool is referred to once:
 * the provider would write its definition again, and bill it.
 */
export function writeResult(result: KeptResult, { loadMode, declared, referred }: ResultStyle): string {
  const names = result.names.filter((name) => declared.has(name));
  const text = declared.textOf(result);
  const block = { type: 'tool_result', tool_use_id: result.callId };
  if (result.kind === 'answered') {
    return JSON.stringify({ ...block, content: text, ...(result.isError && { is_error: true }) });
  }
  // An error may hold only text, and only a result without matches has no references.
  if (names.length === 0) return JSON.stringify({ ...block, content: text, is_error: true });
  // A reference loads its tool.
  if (loadMode !== 'native' || result.kind === 'weak') return JSON.stringify({ ...block, content: text });
  const fresh = names.filter((name) => !referred?.has(name));
  for (const name of fresh) referred?.add(name);
  const references = fresh.map((name) => ({ type: 'tool_reference', tool_name: name }));
  const line = result.kind === 'found' ? [foundLine(names), ...declared.moreOf(result)].join('\n') : text;
  return JSON.stringify({ ...block, content: [...references, { type: 'text', text: line }] });
}
