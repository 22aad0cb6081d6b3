import { describe, expect, test } from 'vitest';
import { CallCollector } from '../../src/openai-chat/call-collector.ts';
import { SEARCH } from '../format-fixtures.ts';

/** The least of several times that the work took, in milliseconds. */
function leastTime(work: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

/** Work of four times the size takes some four times as long; what grows with its square would take sixteen times. */
function expectLinear(work: (size: number) => void): void {
  work(2_000);
  const once = leastTime(() => work(4_000));
  expect(leastTime(() => work(16_000))).toBeLessThan(Math.max(once, 5) * 9);
}

const take = (calls: CallCollector, part: object) =>
  calls.take(part as Record<string, unknown>, JSON.stringify(part));

describe('the work of collecting calls grows with what comes', () => {
  test('when every piece repeats the name', () => {
    expectLinear((size) => {
      const calls = new CallCollector(SEARCH, String);
      const piece = (text: string) => ({ index: 0, function: { name: 'one', arguments: text } });
      take(calls, piece('{"list":[{}'));
      for (let count = 0; count < size; count++) {
        take(calls, piece(',{"a":"word"}'));
        if (calls.hasSearches) throw new Error('there is none');
      }
    });
  });

  test.each([
    ['without numbers', {}],
    ['with numbers', { index: 0 }],
  ])('when there are many calls %s', (_, number) => {
    expectLinear((size) => {
      const calls = new CallCollector(SEARCH, String);
      for (let count = 0; count < size; count++) {
        const index = 'index' in number ? { index: count } : {};
        take(calls, { ...index, id: `call_${count}`, function: { name: 'one', arguments: '{}' } });
        if (calls.hasSearches) throw new Error('there is none');
      }
      if (calls.realCalls.length !== size) throw new Error('a call is lost');
    });
  });
});
