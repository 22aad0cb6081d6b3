import { describe, expect, test } from 'vitest';
import { differenceInterval, rateOf, wilson } from '../src/counting/rate.ts';
import { SessionSample } from '../src/counting/session-sample.ts';
import { millisecondsTally } from '../src/counting/spread.ts';
import { TimeBuckets } from '../src/counting/time-buckets.ts';
import { TopNames } from '../src/counting/top-names.ts';
import { randomFrom } from './make-records.ts';

describe('spread', () => {
  test('has percentiles within a thousandth of the exact ones', () => {
    const random = randomFrom(7);
    const values = Array.from({ length: 5_000 }, () => random() ** 4 * 20_000);
    const tally = millisecondsTally();
    for (const value of values) tally.add(value);
    const sorted = values.toSorted((a, b) => a - b);
    const { count, mean, p50, p95, p99, max } = tally.result();
    expect(count).toBe(5_000);
    expect(mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / 5_000, 6);
    for (const [got, share] of [
      [p50, 0.5],
      [p95, 0.95],
      [p99, 0.99],
    ] as const) {
      const exact = sorted[Math.ceil(share * sorted.length) - 1]!;
      expect(Math.abs(got - exact) / exact).toBeLessThan(0.0011);
    }
    expect(max).toBe(sorted.at(-1));
  });

  test('never shows a percentile above the largest value', () => {
    const tally = millisecondsTally();
    tally.add(12_345.678);
    expect(tally.result().p99).toBeLessThanOrEqual(12_345.678);
  });

  test('takes a value that no exchange can have', () => {
    const tally = millisecondsTally();
    tally.add(1e15);
    expect(tally.result().max).toBe(1e15);
  });

  test('of nothing is all zero', () => {
    expect(millisecondsTally().result()).toEqual({ count: 0, mean: 0, p50: 0, p95: 0, p99: 0, max: 0 });
  });
});

describe('rates', () => {
  // Published values: Newcombe 1998, table I, method 3 (Wilson score without continuity correction).
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i lie within the published interval', (part, whole, low, high) => {
    const interval = wilson(part, whole);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  // Published values: Newcombe 1998, "Interval estimation for the difference", table II, method 10.
  test.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [10, 10, 0, 10, 0.6075, 1],
  ])('%i of %i and %i of %i differ within the published interval', (a, m, b, n, low, high) => {
    const interval = differenceInterval(rateOf(a, m), rateOf(b, n));
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test('of nothing have no share', () => {
    expect(rateOf(0, 0)).toEqual({ part: 0, whole: 0 });
  });
});

describe('names', () => {
  test('are counted exactly while they fit', () => {
    const names = new TopNames(3);
    for (const name of ['b', 'a', 'b', 'c', 'c', 'c']) names.add(name);
    const { top, ...rest } = names.result(2);
    expect(top.map(({ name, count }) => [name, count])).toEqual([
      ['c', 3],
      ['b', 2],
    ]);
    expect(rest).toEqual({ total: 6, distinct: 3, isExact: true, blindSpot: 0 });
  });

  test('that are frequent are found among many that are not, in bounded memory', () => {
    const random = randomFrom(3);
    const names = new TopNames(100);
    const truth = new Map<string, number>();
    let mostHeld = 0;
    for (let index = 0; index < 50_000; index++) {
      const name = random() < 0.3 ? `frequent-${Math.floor(random() * 5)}` : `rare-${index}`;
      truth.set(name, (truth.get(name) ?? 0) + 1);
      names.add(name);
      mostHeld = Math.max(mostHeld, names.heldCount);
    }
    expect(mostHeld).toBeLessThanOrEqual(201);
    const { top, isExact, blindSpot } = names.result(5);
    expect(isExact).toBe(false);
    expect(blindSpot).toBeLessThanOrEqual(50_000 / 100);
    expect(top.map(({ name }) => name).sort()).toEqual(
      ['0', '1', '2', '3', '4'].map((digit) => `frequent-${digit}`),
    );
    for (const { name, count, overcount } of top) {
      expect(count).toBeGreaterThanOrEqual(truth.get(name)!);
      expect(count - overcount).toBeLessThanOrEqual(truth.get(name)!);
    }
  });

  test('count never too low, whatever the order', () => {
    const random = randomFrom(11);
    const names = new TopNames(8);
    const truth = new Map<string, number>();
    for (let index = 0; index < 5_000; index++) {
      const name = `name-${Math.floor(random() ** 3 * 200)}`;
      truth.set(name, (truth.get(name) ?? 0) + 1);
      names.add(name);
    }
    const { top, blindSpot } = names.result(1_000);
    for (const { name, count, overcount } of top) {
      expect(count).toBeGreaterThanOrEqual(truth.get(name)!);
      expect(count - overcount).toBeLessThanOrEqual(truth.get(name)!);
    }
    const held = new Set(top.map(({ name }) => name));
    for (const [name, count] of truth) if (!held.has(name)) expect(count).toBeLessThanOrEqual(blindSpot);
  });

  test('of any length take bounded memory', () => {
    const names = new TopNames();
    names.add('x'.repeat(100_000));
    expect(names.result(1).top[0]!.name.length).toBe(201);
  });
});

describe('sessions', () => {
  test('are all held while they fit', () => {
    const sample = new SessionSample(() => ({ exchanges: 0 }), 10);
    for (let index = 0; index < 30; index++) sample.entryOf(`session-${index % 10}`)!.exchanges++;
    expect(sample.weight).toBe(1);
    expect([...sample.entries].map(({ exchanges }) => exchanges)).toEqual(new Array(10).fill(3));
  });

  test('are estimated from a sample of bounded size whose members were counted from their first exchange on', () => {
    const sample = new SessionSample(() => ({ exchanges: 0 }), 1_000);
    let mostHeld = 0;
    // Session by session, then all again: a sample that forgot the beginning would hold some with one exchange.
    for (const _round of [1, 2]) {
      for (let index = 0; index < 50_000; index++) {
        const entry = sample.entryOf(index.toString(16));
        if (entry !== undefined) entry.exchanges++;
        mostHeld = Math.max(mostHeld, sample.heldCount);
      }
    }
    expect(mostHeld).toBeLessThanOrEqual(1_001);
    expect([...sample.entries].every(({ exchanges }) => exchanges === 2)).toBe(true);
    const estimate = sample.heldCount * sample.weight;
    expect(Math.abs(estimate - 50_000) / 50_000).toBeLessThan(0.12);
  });
});

describe('time', () => {
  const SUM = {
    empty: () => ({ count: 0 }),
    join: (into: { count: number }, from: { count: number }) => {
      into.count += from.count;
    },
  };

  test('is cut into steps that grow with the period, and none is lost', () => {
    const random = randomFrom(5);
    const buckets = new TimeBuckets(SUM, 100);
    const start = Date.parse('2026-11-20T08:00:00Z');
    // In no order, as those of several files.
    for (let index = 0; index < 10_000; index++) {
      buckets.at(start + Math.floor(random() * 3 * 86_400_000)).count++;
    }
    const result = buckets.result();
    expect(buckets.widthMs).toBe(3_600_000);
    expect(result.length).toBe(72);
    expect(result.reduce((sum, { content }) => sum + content.count, 0)).toBe(10_000);
    expect(result[0]!.start).toBe(start);
  });

  test('without anything in it is a step as well', () => {
    const buckets = new TimeBuckets(SUM, 100);
    buckets.at(0).count++;
    buckets.at(3_000).count++;
    expect(buckets.result().map(({ content }) => content.count)).toEqual([1, 0, 0, 1]);
  });

  test('far off does not make more steps', () => {
    const buckets = new TimeBuckets(SUM, 100);
    buckets.at(0).count++;
    buckets.at(Date.parse('9999-12-31T00:00:00Z')).count++;
    expect(buckets.result().length).toBeLessThanOrEqual(100);
  });
});
