import type { ExchangeRecord } from '@winnow/contract';

import { foldRecord } from './fold-record.ts';
import { type ExchangeTimes, foldTimes } from './fold-times.ts';
import type { ExchangeSoFar } from './timeline.ts';

/** Whether there may be more searches and requests to the upstream behind the head that is written. */
export type HeadStage = 'any-round' | 'last-round';

/**
 * What a client that asks is told about its exchange, as raw headers: `x-winnow-rounds`, `x-winnow-tools` and `Server-Timing`.
 *
 * The head of a stream is written when its first round begins: how many there are and what they load is not known by then, and is not
 * told.
 */
export function describeExchange(soFar: ExchangeSoFar, stage: HeadStage): string[] {
  const record = foldRecord(soFar);
  const timing = serverTiming(record, foldTimes(soFar));
  const isOver = stage === 'last-round';
  return [
    ...(isOver && record.upstreamCalls > 0 ? ['x-winnow-rounds', String(record.upstreamCalls)] : []),
    ...(isCounted(record) ? ['x-winnow-tools', toolCounts(record, isOver)] : []),
    ...(timing === '' ? [] : ['Server-Timing', timing]),
  ];
}

/** A request that was not read, or could not be, has tools that nobody has counted. */
function isCounted({ tools }: ExchangeRecord): boolean {
  return tools.total > 0;
}

function toolCounts({ tools: { total, kept, deferred, loaded } }: ExchangeRecord, isOver: boolean): string {
  return `total=${total}, kept=${kept}, deferred=${deferred}${isOver ? `, loaded=${loaded}` : ''}`;
}

/** https://www.w3.org/TR/server-timing/#the-server-timing-header-field; what took no time did not happen. */
function serverTiming(record: ExchangeRecord, times: ExchangeTimes): string {
  return Object.entries({
    receive: times.receivingMs,
    plan: record.planMs,
    session: record.sessionMs,
    search: record.searchMs,
    upstream: times.hiddenRoundsMs + times.lastRoundMs,
  })
    .filter(([, ms]) => ms > 0)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(3)}`)
    .join(', ');
}
