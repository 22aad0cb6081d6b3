import type { RoundNotices } from '../format/response-joiner.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { objectsIn, textOrNone } from './read-items.ts';

/** A reason is a word; what is longer is cut. */
const REASON_CHARS = 64;

/**
 * What a response says of its request: reasoning that was withheld from the model (`input_transformations`), and why the prompt cache was missed
 * (`prompt_cache_diagnostics`, where the client has asked for that). Undefined when it says neither.
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
