import { describe, expect, test } from 'vitest';
import { ExchangeClock } from '../src/records/exchange-clock.ts';

/** A clock whose time the test sets. */
function startAt(ms: number) {
  let now = ms;
  const clock = new ExchangeClock(() => now);
  return {
    clock,
    at: (time: number) => {
      now = time;
    },
  };
}

describe('the time of an exchange', () => {
  test('is the proxy’s but for receiving the request and for the upstream', () => {
    const { clock, at } = startAt(1_000);
    at(1_100);
    clock.received();
    at(1_103);
    clock.roundBegins();
    at(1_603);
    clock.roundEnds();
    at(1_610);
    clock.roundBegins();
    at(1_810);
    clock.roundEnds();
    at(1_812);
    clock.answered();
    expect(clock.read()).toEqual({
      receivingMs: 100,
      hiddenRoundsMs: 500,
      lastRoundMs: 200,
      totalMs: 812,
      addedMs: 12,
    });
  });

  test('ends with the answer, whatever is done afterwards', () => {
    const { clock, at } = startAt(0);
    clock.received();
    clock.roundBegins();
    at(50);
    clock.answered();
    at(5_000);
    expect(clock.read()).toMatchObject({ totalMs: 50, lastRoundMs: 50, addedMs: 0 });
    expect(clock.waitedSince(40)).toBe(10);
    expect(clock.waitedSince(60)).toBe(0);
  });

  test('goes on as long as there is no answer', () => {
    const { clock, at } = startAt(0);
    at(5);
    clock.received();
    at(7);
    expect(clock.read()).toMatchObject({ receivingMs: 5, totalMs: 7, addedMs: 2 });
    expect(clock.sinceReceived()).toBe(2);
  });

  test('counts a request to the upstream that has failed as hidden', () => {
    const { clock, at } = startAt(0);
    clock.received();
    clock.roundBegins();
    at(30);
    clock.roundBegins();
    at(40);
    expect(clock.read()).toMatchObject({ hiddenRoundsMs: 30, lastRoundMs: 10, addedMs: 0 });
  });

  test('goes into the record', () => {
    const { clock, at } = startAt(0);
    clock.received();
    at(2);
    clock.roundBegins();
    at(30);
    clock.roundBegins();
    at(40);
    clock.answered();
    const record = { hiddenRoundsMs: 0, addedMs: 0, totalMs: 0 };
    clock.writeTo(record);
    expect(record).toEqual({ hiddenRoundsMs: 28, addedMs: 2, totalMs: 40 });
  });
});
