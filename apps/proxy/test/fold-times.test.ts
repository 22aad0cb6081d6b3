import { describe, expect, test } from 'vitest';
import type { ExchangeFact } from '../src/records/exchange-fact.ts';
import { foldTimes } from '../src/records/fold-record.ts';
import { exchangeSoFar } from './exchange-so-far.ts';

const RECEIVED: ExchangeFact = { kind: 'received' };
const SENT: ExchangeFact = { kind: 'sent' };
const ROUND_ENDED: ExchangeFact = { kind: 'round_ended', round: 1, usage: undefined };
const SEARCHING: ExchangeFact = { kind: 'searching' };
const SEARCHED: ExchangeFact = {
  kind: 'searched',
  searches: [],
};
const DELIVERED: ExchangeFact = { kind: 'delivered' };
const ENDED: ExchangeFact = { kind: 'ended', outcome: 'answered', status: 200 };

describe('the time of an exchange', () => {
  test('is the proxy’s except for receiving the request and for the upstream', () => {
    const facts: [number, ExchangeFact][] = [
      [1_100, RECEIVED],
      [1_103, SENT],
      [1_603, ROUND_ENDED],
      [1_610, SENT],
      [1_810, ROUND_ENDED],
      [1_812, DELIVERED],
    ];
    expect(foldTimes(exchangeSoFar({ startedAt: 1_000, facts }))).toMatchObject({
      receivingMs: 100,
      hiddenRoundsMs: 500,
      lastRoundMs: 200,
      totalMs: 812,
      addedMs: 12,
    });
  });

  test.each([
    ['delivered', DELIVERED],
    ['ended', ENDED],
  ])('ends when the response is %s, whatever happens afterwards', (_, last) => {
    const facts: [number, ExchangeFact][] = [
      [0, RECEIVED],
      [0, SENT],
      [40, SEARCHING],
      [50, last],
      [60, SEARCHED],
      [70, SEARCHING],
      [90, SEARCHED],
      [95, ENDED],
    ];
    const times = foldTimes(exchangeSoFar({ facts, now: 5_000 }));
    expect(times).toMatchObject({ totalMs: 50, lastRoundMs: 50, addedMs: 0 });
  });

  test('continues while there is no response', () => {
    const facts: [number, ExchangeFact][] = [[5, RECEIVED]];
    expect(foldTimes(exchangeSoFar({ facts, now: 7 }))).toMatchObject({
      receivingMs: 5,
      totalMs: 7,
      addedMs: 2,
    });
  });

  test('includes the running round up to now', () => {
    const facts: [number, ExchangeFact][] = [
      [0, RECEIVED],
      [3, SENT],
    ];
    expect(foldTimes(exchangeSoFar({ facts, now: 10 }))).toMatchObject({ lastRoundMs: 7, addedMs: 3 });
  });

  test('counts a failed request to the upstream as hidden', () => {
    const facts: [number, ExchangeFact][] = [
      [0, RECEIVED],
      [0, SENT],
      [30, SENT],
    ];
    const times = foldTimes(exchangeSoFar({ facts, now: 40 }));
    expect(times).toMatchObject({ hiddenRoundsMs: 30, lastRoundMs: 10, addedMs: 0 });
  });
});
