import type { ExchangeRecord } from '@winnow/core';

import { foldRecord } from './fold-record.ts';
import { type ExchangeTimes, foldTimes } from './fold-times.ts';
import type { ExchangeSoFar } from './timeline.ts';

/** Whether more searches and requests to the upstream may follow after the head is written. */
export type HeadStage = 'any-round' | 'last-round';

/**
 * Describes an exchange to its client as raw headers: `x-winnow-rounds`, `x-winnow-tools` and
 * `Server-Timing`.
 *
 * The head of a stream is written when its first round begins. The number of rounds and loaded tools is not
 * known then, and is omitted.
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

/** Whether tools were counted, and the plan is carried out: an unread request reports none. */
function isCounted({ arm, tools }: ExchangeRecord): boolean {
  return arm === 'full' && tools.total > 0;
}

function toolCounts({ tools: { total, kept, deferred, loaded } }: ExchangeRecord, isOver: boolean): string {
  return `total=${total}, kept=${kept}, deferred=${deferred}${isOver ? `, loaded=${loaded}` : ''}`;
}

/**
 * Formats the times that are not zero. https://www.w3.org/TR/server-timing/#the-server-timing-header-field
 */
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
