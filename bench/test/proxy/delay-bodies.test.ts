import { expect, test } from 'vitest';
import { DELAY_BODIES } from '../../src/proxy/delay-bodies.ts';

const SMALL_ENOUGH = DELAY_BODIES.filter(({ isLargest }) => !isLargest);

const MADE = new Map(SMALL_ENOUGH.map(({ title, make }) => [title, make(1)]));

test.each(SMALL_ENOUGH)('makes a body of $title that comes close to its size', ({ title, limitBytes }) => {
  const bytes = MADE.get(title)!;
  expect(bytes.length).toBeLessThanOrEqual(limitBytes);
  expect(bytes.length).toBeGreaterThan(limitBytes * 0.75);
  expect(JSON.parse(bytes.toString('utf8')).messages.at(-1).role).toBe('user');
});

test.each(SMALL_ENOUGH)('makes another body of $title each time', ({ title, make }) => {
  expect(make(2).equals(MADE.get(title)!)).toBe(false);
  expect(make(1).equals(MADE.get(title)!)).toBe(true);
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
    '48 MB, blanks',
    '8 MB, blanks',
    '5.8 MB, 490,000 members',
    '2.8 MB, 240,000 members',
    '0.9 MB, 80,000 members',
    '6 MB, long names',
    '19,000 tools with names of 245 characters',
    '1,000 tools and a message of 1 MB',
    '4,000 tools and a message of 4 MB',
  ]);
  for (const { title } of SMALL_ENOUGH.slice(1)) {
    expect(JSON.parse(MADE.get(title)!.toString('utf8')).tools.length, title).toBeGreaterThan(10);
  }
});
