import { expect, test } from 'vitest';
import { DELAY_BODIES } from '../../src/proxy/delay-bodies.ts';

const SMALL_ENOUGH = DELAY_BODIES.filter(({ isLargest }) => !isLargest);

test.each(SMALL_ENOUGH)('makes a body of $title that comes close to its size', ({ make, limitBytes }) => {
  const bytes = make(1);
  expect(bytes.length).toBeLessThanOrEqual(limitBytes);
  expect(bytes.length).toBeGreaterThan(limitBytes * 0.75);
  expect(JSON.parse(bytes.toString('utf8')).messages.at(-1).role).toBe('user');
});

test.each(SMALL_ENOUGH)('makes another body of $title each time', ({ make }) => {
  expect(make(1).equals(make(2))).toBe(false);
  expect(make(1).equals(make(1))).toBe(true);
});

test('has bodies of every size, and tools in all but the smallest', () => {
  expect(DELAY_BODIES.map(({ title }) => title)).toEqual([
    '1 KB, one long message',
    '140 KB, tools',
    '140 KB, long conversation',
    '140 KB, one long message',
    '1 MB, tools',
    '1 MB, long conversation',
    '1 MB, one long message',
    '50 MiB, the largest, tools',
    '50 MiB, the largest, long conversation',
    '50 MiB, the largest, one long message',
  ]);
  for (const { title, make } of SMALL_ENOUGH.slice(1)) {
    expect(JSON.parse(make(1).toString('utf8')).tools.length, title).toBeGreaterThan(10);
  }
});
