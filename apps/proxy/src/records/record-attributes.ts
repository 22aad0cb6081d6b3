import type { ExchangeRecord } from '@winnow/contract';
import type { SpanAttributes } from '@winnow/tracing';

/** Returns the span attributes of an exchange's record: counts, codes and names, without session or query. */
export function recordAttributes(record: ExchangeRecord): SpanAttributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': record.model,
    'gen_ai.usage.input_tokens': record.usage?.inputTokens,
    'gen_ai.usage.output_tokens': record.usage?.outputTokens,
    'winnow.format': record.format,
    'winnow.strategy': record.strategy,
    'winnow.arm': record.arm,
    'winnow.plan_reason': record.planReason,
    'winnow.load_mode': record.loadMode,
    'winnow.outcome': record.outcome,
    'winnow.restored_because': record.restoredBecause,
    'winnow.stream': record.isStream,
    'winnow.tools.total': record.tools.total,
    'winnow.tools.kept': record.tools.kept,
    'winnow.tools.deferred': record.tools.deferred,
    'winnow.tools.loaded': record.tools.loaded,
    'winnow.searches': record.searches.length,
    'winnow.upstream_calls': record.upstreamCalls,
    'winnow.hidden_turns': record.hiddenTurnsKnown,
    'winnow.session_errors': record.sessionErrors,
  };
}
