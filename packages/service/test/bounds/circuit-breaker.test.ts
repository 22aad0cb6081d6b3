import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from '../../src/bounds/circuit-breaker.ts';

function breakerAt(start: number) {
  const clock = { now: start };
  const breaker = new CircuitBreaker({ failures: 3, openMs: 100, now: () => clock.now });
  const failTimes = (times: number) => {
    for (let time = 0; time < times; time++) {
      breaker.admit();
      breaker.fail();
    }
  };
  return { clock, breaker, failTimes };
}

describe('CircuitBreaker', () => {
  it('stays closed until enough failures come in a row', () => {
    const { breaker, failTimes } = breakerAt(0);
    failTimes(2);
    breaker.admit();
    breaker.succeed();
    failTimes(2);
    expect([breaker.state, breaker.admit()]).toEqual(['closed', true]);
  });

  it('refuses calls once it is open', () => {
    const { breaker, failTimes } = breakerAt(0);
    failTimes(3);
    expect([breaker.state, breaker.admit()]).toEqual(['open', false]);
  });

  it('lets one call try after a while, and closes when that succeeds', () => {
    const { breaker, clock, failTimes } = breakerAt(0);
    failTimes(3);
    clock.now = 100;
    expect([breaker.admit(), breaker.admit(), breaker.state]).toEqual([true, false, 'half_open']);
    breaker.succeed();
    expect([breaker.state, breaker.admit()]).toEqual(['closed', true]);
  });

  it('opens again when the try fails', () => {
    const { breaker, clock, failTimes } = breakerAt(0);
    failTimes(3);
    clock.now = 150;
    failTimes(1);
    clock.now = 249;
    expect(breaker.admit()).toBe(false);
    clock.now = 250;
    expect(breaker.admit()).toBe(true);
  });

  it('lets another call try after an abandoned try', () => {
    const { breaker, clock, failTimes } = breakerAt(0);
    failTimes(3);
    clock.now = 100;
    breaker.admit();
    breaker.abandon();
    expect(breaker.admit()).toBe(true);
  });
});
