import { describe, expect, test } from 'vitest';
import { RoundMemory } from '../../src/joining/round-memory.ts';
import { CallCollector } from '../../src/openai-chat/read-round.ts';
import { HiddenNames } from '../../src/tools/hidden-names.ts';
import { SEARCH } from '../format-fixtures.ts';

/**
 * Returns the processor time of this thread for the work, in microseconds, which no other process affects.
 */
function costOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

/**
 * Work of four times the size costs about four times as much; quadratic work would cost sixteen times as
 * much.
 */
function expectLinear(work: (size: number) => void): void {
  work(2_000);
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 8 && least >= 9; attempt++) {
    const once = costOf(() => work(4_000));
    least = Math.min(least, costOf(() => work(16_000)) / Math.max(once, 5_000));
  }
  expect(least).toBeLessThan(9);
}

const take = (calls: CallCollector, part: object) =>
  calls.take(part as Record<string, unknown>, JSON.stringify(part));

describe('the work of collecting calls is linear in their size', () => {
  test('when every piece repeats the name', () => {
    expectLinear((size) => {
      const calls = new CallCollector(new HiddenNames(SEARCH), String, new RoundMemory());
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
      const calls = new CallCollector(new HiddenNames(SEARCH), String, new RoundMemory());
      for (let count = 0; count < size; count++) {
        const index = 'index' in number ? { index: count } : {};
        take(calls, { ...index, id: `call_${count}`, function: { name: 'one', arguments: '{}' } });
        if (calls.hasSearches) throw new Error('there is none');
      }
      if (calls.realCalls.length !== size) throw new Error('a call is lost');
    });
  });
});
