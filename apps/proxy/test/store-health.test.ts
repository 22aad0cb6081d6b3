import { describe, expect, it } from 'vitest';
import { StoreHealth } from '../src/sessions/guarded-link.ts';

function healthAt() {
  const told: string[] = [];
  const clock = { now: 0 };
  const health = new StoreHealth(
    { onDown: (part, problem) => told.push(`${part} ${problem}`), onUp: () => told.push('up') },
    () => clock.now,
  );
  return { health, told, clock };
}

describe('StoreHealth', () => {
  it('is not up before the first connection, which it does not report', () => {
    const { health, told } = healthAt();
    expect(health.isUp).toBe(false);
    health.succeed('connection');
    expect([health.isUp, told]).toEqual([true, []]);
  });

  it('reports once when it fails and once when all parts have recovered', () => {
    const { health, told, clock } = healthAt();
    health.succeed('connection');
    health.fail('writing', 'full');
    health.fail('writing', 'full');
    health.fail('connection', 'unreachable');
    health.succeed('connection');
    expect([health.isUp, told]).toEqual([false, ['writing full']]);
    clock.now = 1_000;
    health.succeed('writing');
    health.succeed('writing');
    expect([health.isUp, told]).toEqual([true, ['writing full', 'up']]);
  });

  it('does not report every success between failures', () => {
    const { health, told, clock } = healthAt();
    health.succeed('connection');
    for (let moment = 0; moment < 10; moment++) {
      clock.now += 999;
      health.succeed('reading');
      health.fail('reading', 'cluster_down');
    }
    expect(told).toEqual(['reading cluster_down']);
    clock.now += 1_000;
    health.succeed('reading');
    expect(told).toEqual(['reading cluster_down', 'up']);
  });
});
