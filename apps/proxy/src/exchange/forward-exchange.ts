import type { ProxyContext } from '../proxy-context.ts';
import { recordAttributes } from '../records/record-attributes.ts';
import { startClock } from '../records/start-clock.ts';
import { startRecord } from '../records/start-record.ts';
import type { RolloutDecision } from '../rollout.ts';
import { forwardUntouched } from './forward-untouched.ts';
import { noteFailure } from './note-failure.ts';
import type { FormatExchange } from './prepare-exchange.ts';

/**
 * Forwards one request of a known format as it is and reports it once. Nothing of it is read on its way: the bytes travel as they come,
 * in both directions, whatever their size. What is to be found out about it is found out from a copy, beside it.
 */
export async function forwardExchange(
  exchange: FormatExchange,
  context: ProxyContext,
  rollout: RolloutDecision,
): Promise<void> {
  const { effects } = context;
  const record = startRecord(exchange, context, rollout);
  const clock = startClock(exchange, record, effects.now);
  const watch = context.watch({ ...exchange, arm: rollout.arm });
  try {
    record.upstreamCalls = 1;
    clock.roundBegins();
    record.status = await forwardUntouched({ ...exchange, send: context.send, onlooker: watch });
    record.outcome = 'answered';
  } catch (error) {
    noteFailure(record, error, exchange);
    throw error;
  } finally {
    clock.writeTo(record);
    if (exchange.span.isRecorded) exchange.span.set(recordAttributes(record));
    context.report(record, watch);
  }
}
