import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { type NormalMessage, normalMessages } from './normal-messages.ts';
import { findSignatureFault, type SignatureFault } from './thinking-signature.ts';

const TYPES = ['enabled', 'disabled', 'adaptive', 'between_tools'];
const SMALLEST_BUDGET = 1024;
const DROPPING_BETA = 'thinking-binding-controls-2026-08-01';

/** Context for validating thinking, in addition to the body. */
export interface ThinkingContext {
  readonly headers: IncomingHttpHeaders;
  readonly rules: ProviderRules;
}

/** Finds faults of `thinking` and of the thinking blocks in the history. */
export function* findThinkingFaults(body: JsonObject, context: ThinkingContext): Generator<Rejection> {
  yield* findBudgetFaults(body);
  yield* findMissingThoughts(body);
  const messages = normalMessages(body.messages);
  if (context.rules.demandsThinking) yield* findBareCalls(body, messages);
  const latest = messages.findLastIndex(({ role }) => role === 'assistant');
  for (const [index, message] of messages.entries()) {
    const before = messages.slice(0, index);
    yield* findBlockFaults(message, { body, before, isLatest: index === latest, context });
  }
}

function* findBudgetFaults({ thinking, max_tokens: limit }: JsonObject): Generator<Rejection> {
  if (isJsonObject(thinking) && !TYPES.includes(String(thinking.type))) {
    yield badRequest(`thinking: Input tag '${thinking.type}' does not match any of the expected tags`);
  }
  if (!isJsonObject(thinking) || thinking.type !== 'enabled') return;
  const budget = thinking.budget_tokens;
  if (typeof budget !== 'number') yield badRequest('thinking.enabled.budget_tokens: Field required');
  else if (budget < SMALLEST_BUDGET) {
    yield badRequest(
      `thinking.enabled.budget_tokens: Input should be greater than or equal to ${SMALLEST_BUDGET}`,
    );
  } else if (typeof limit === 'number' && limit <= budget) {
    yield badRequest('`max_tokens` must be greater than `thinking.budget_tokens`');
  }
}

/**
 * Checks that, with a thinking budget, the current turn begins with thinking, in the first assistant message
 * after the user's last. Source: Anthropic's guide to extended thinking; adaptive thinking has no such rule.
 */
function* findMissingThoughts({ thinking, messages }: JsonObject): Generator<Rejection> {
  if (!isJsonObject(thinking) || thinking.type !== 'enabled') return;
  const merged = normalMessages(messages);
  const isOngoing = merged.at(-1)?.blocks.some(({ type }) => type === 'tool_result');
  if (!isOngoing) return;
  const spokenAt = merged.findLastIndex(
    ({ role, blocks }) => role === 'user' && !blocks.some(({ type }) => type === 'tool_result'),
  );
  const first = merged.slice(spokenAt + 1).find(({ role }) => role === 'assistant');
  const type = first?.blocks[0]?.type;
  if (first === undefined || type === 'thinking' || type === 'redacted_thinking') return;
  const fault = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\``;
  const rule = 'When `thinking` is enabled, a final `assistant` message must start with a thinking block.';
  yield badRequest(`messages.${first.position}.content.0.type: ${fault}. ${rule}`);
}

/**
 * Checks that thinking stands next to each call, as DeepSeek does, where thinking is on by default.
 * Source: https://api-docs.deepseek.com/guides/thinking_mode, and the words of the server in public reports.
 */
function* findBareCalls({ thinking }: JsonObject, messages: readonly NormalMessage[]): Generator<Rejection> {
  if (isJsonObject(thinking) && thinking.type === 'disabled') return;
  for (const { role, blocks } of messages) {
    const types = new Set(blocks.map(({ type }) => type));
    if (role !== 'assistant' || !types.has('tool_use') || types.has('thinking')) continue;
    yield badRequest('The `content[].thinking` in the thinking mode must be passed back to the API.');
  }
}

interface BlockSurroundings {
  readonly body: JsonObject;
  readonly before: readonly NormalMessage[];
  readonly isLatest: boolean;
  readonly context: ThinkingContext;
}

function* findBlockFaults(message: NormalMessage, surroundings: BlockSurroundings): Generator<Rejection> {
  const { body, before } = surroundings;
  for (const [index, block] of message.blocks.entries()) {
    if (block.type !== 'thinking') continue;
    const thought = { text: String(block.thinking), signature: block.signature };
    const fault = findSignatureFault(thought, {
      body,
      before,
      earlierBlocks: message.blocks.slice(0, index),
    });
    const place = `messages.${message.position}.content.${index}`;
    if (fault !== undefined) yield* judge(fault, place, surroundings);
  }
}

/**
 * Checks signatures. Every model refuses a changed text, and a changed order of blocks in the latest
 * assistant message. Models that bind thinking also refuse any prefix other than the signed one, unless they
 * were asked to drop such blocks.
 */
function* judge(fault: SignatureFault, place: string, surroundings: BlockSurroundings): Generator<Rejection> {
  const { body, isLatest, context } = surroundings;
  if (fault === 'text') yield badRequest(`${place}: Invalid \`signature\` in \`thinking\` block`);
  if (context.rules.bindsThinking(String(body.model)) && !dropsMismatches(body, context.headers)) {
    yield badRequest(
      `${place}: the \`thinking\` block does not match the system, tools and messages before it`,
    );
  }
  if (fault === 'message' && isLatest) {
    const rule =
      '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.';
    yield badRequest(`${place}: ${rule} These blocks must remain as they were in the original response.`);
  }
}

function dropsMismatches({ thinking }: JsonObject, headers: IncomingHttpHeaders): boolean {
  const binding = isJsonObject(thinking) ? thinking.block_binding : undefined;
  const isAsked = isJsonObject(binding) && binding.prefix_mismatch_behavior === 'drop_block';
  return isAsked && String(headers['anthropic-beta'] ?? '').includes(DROPPING_BETA);
}
