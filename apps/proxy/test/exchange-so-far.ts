import type { ExchangeFact, ExchangeSoFar } from '../src/records/exchange-fact.ts';

/** A test's exchange: facts with their times. */
interface Parts {
  readonly startedAt?: number;
  readonly facts: readonly (readonly [at: number, fact: ExchangeFact])[];
  /** By default the time of the last fact. */
  readonly now?: number;
}

/** An exchange with these facts; it begins at 0 by default. */
export function exchangeSoFar({
  startedAt = 0,
  facts,
  now = facts.at(-1)?.[0] ?? startedAt,
}: Parts): ExchangeSoFar {
  return {
    start: {
      time: '2026-11-21T09:30:00.000Z',
      requestId: 'exchange-1',
      upstream: 'anthropic',
      format: 'anthropic-messages',
      strategy: 'api',
    },
    startedAt,
    facts: facts.map(([at, fact]) => ({ at, fact })),
    now,
  };
}
