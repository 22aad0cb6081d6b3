import type { RoundNotices } from '../format/response-joiner.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';

/** The longest reason: a reason is a word, and longer texts are cut. */
const REASON_CHARS = 64;

/**
 * Returns a response's notices about its request: reasoning that was withheld from the model
 * (`input_transformations`), and the reason for a miss of the prompt cache (`prompt_cache_diagnostics`, if
 * the client asked for it). Undefined when it has neither.
 */
export function readNotices(response: JsonObject): RoundNotices | undefined {
  const reasons = objectsIn(response.input_transformations)
    .filter(({ type, action }) => type === 'reasoning' && action === 'removed')
    .map(({ reason }) => wordOf(reason));
  const withheldReasoning = Object.fromEntries(
    [...Map.groupBy(reasons, (reason) => reason)].map(([reason, all]) => [reason, all.length]),
  );
  const miss = response.prompt_cache_diagnostics;
  const isMiss = isJsonObject(miss) && miss.type === 'cache_miss';
  if (reasons.length === 0 && !isMiss) return undefined;
  return {
    ...(reasons.length > 0 && { withheldReasoning }),
    ...(isMiss && {
      cacheMiss: { reason: wordOf(miss.reason), missedTokens: countOf(miss.cache_missed_tokens) },
    }),
  };
}

function wordOf(reason: unknown): string {
  return textOrNone(reason)?.slice(0, REASON_CHARS) ?? 'unknown';
}

function countOf(tokens: unknown): number {
  return Number.isSafeInteger(tokens) && (tokens as number) >= 0 ? (tokens as number) : 0;
}
