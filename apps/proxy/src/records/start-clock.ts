import type { ExchangeRecord } from '@winnow/contract';
import type { IncomingExchange } from '../app.ts';
import { describeExchange } from './describe-exchange.ts';
import { ExchangeClock } from './exchange-clock.ts';

/** Begins to measure an exchange, and lets the head of its answer tell what is known by then. */
export function startClock(
  { outgoing, head }: IncomingExchange,
  record: ExchangeRecord,
  now: () => number,
): ExchangeClock {
  const clock = new ExchangeClock(now);
  outgoing.once('finish', () => clock.answered());
  head.describe = (stage) => describeExchange(record, clock.read(), stage);
  return clock;
}
