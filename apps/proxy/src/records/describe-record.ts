import { type ExchangeRecord, modelSearches, totalUsage } from '@winnow/core';
import type { SpanAttributes } from '@winnow/service';
import type { TimedFact } from './exchange-fact.ts';

/** Returns the span attributes of an exchange: counts, codes and names, without session or query. */
export function recordAttributes(record: ExchangeRecord, facts: readonly TimedFact[]): SpanAttributes {
  const isStream = facts.some(({ fact }) => fact.kind === 'read' && fact.isStream);
  const usage = totalUsage(record.usage);
  return {
    'gen_ai.operation.name': genAiOperation(record),
    'gen_ai.request.model': record.model,
    'gen_ai.request.stream': isStream ? true : undefined,
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedInputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWriteTokens,
    'winnow.format': record.format,
    'winnow.strategy': record.strategy,
    'winnow.arm': record.arm,
    'winnow.plan_reason': record.planReason,
    'winnow.load_mode': record.loadMode,
    'winnow.outcome': record.outcome,
    'winnow.restored_because': record.restoredBecause,
    'winnow.stream': isStream,
    'winnow.tools.total': record.tools.total,
    'winnow.tools.kept': record.tools.total - record.tools.deferred,
    'winnow.tools.deferred': record.tools.deferred,
    'winnow.tools.loaded': record.tools.loaded,
    'winnow.searches': modelSearches(record).length,
    'winnow.upstream_calls': record.upstreamCalls,
    'winnow.hidden_turns': record.hiddenTurnsKnown,
    'winnow.session_errors': record.sessionErrors,
  };
}

/** Returns the operation of an exchange by the GenAI conventions. */
export function genAiOperation({ format }: Pick<ExchangeRecord, 'format'>): string {
  return format.startsWith('gemini') ? 'generate_content' : 'chat';
}

/**
 * Returns the `error.type` of an exchange: the status that the client got, or the system's code; undefined if it
 * ended well, or because its client left.
 */
export function genAiError({
  outcome,
  status = 0,
  cause,
}: Pick<ExchangeRecord, 'outcome' | 'status' | 'cause'>): string | undefined {
  if (outcome === 'failed') return cause !== undefined && /^[A-Z_]{1,40}$/.test(cause) ? cause : '_OTHER';
  return outcome === 'answered' && status >= 400 ? String(status) : undefined;
}
