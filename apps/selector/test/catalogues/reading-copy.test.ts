import { expect, test } from 'vitest';
import { ReadingCopy } from '../../src/catalogues/reading-copy.ts';
import { mappedBlock } from '../../src/receive/growing-buffer.ts';

const MEBIBYTE = 2 ** 20;

test('holds what the body holds, in a block that cannot be resized', () => {
  const body = mappedBlock(3);
  body.set([1, 2, 3]);
  const copy = new ReadingCopy().of(body);
  expect([...copy]).toEqual([1, 2, 3]);
  expect(copy.buffer.resizable).toBe(false);
  body[0] = 9;
  expect(copy[0]).toBe(1);
});

test('shows nothing of a longer body that was copied before', () => {
  const reading = new ReadingCopy();
  reading.of(Buffer.from('a longer one'));
  expect(reading.of(Buffer.from('short')).toString()).toBe('short');
});

test('uses one block for bodies of up to 4 MiB, and a larger one when it is needed', () => {
  const reading = new ReadingCopy();
  const first = reading.of(Buffer.alloc(10)).buffer;
  expect(reading.of(Buffer.alloc(MEBIBYTE)).buffer).toBe(first);
  const larger = reading.of(Buffer.alloc(4 * MEBIBYTE)).buffer;
  expect(larger).not.toBe(first);
  expect(reading.of(Buffer.alloc(10)).buffer).toBe(larger);
});

test('gives the memory of a block back that it does not use any more', () => {
  const reading = new ReadingCopy();
  const small = reading.of(Buffer.alloc(10)).buffer;
  const large = reading.of(Buffer.alloc(5 * MEBIBYTE)).buffer;
  expect(small.byteLength).toBe(0);
  expect(reading.of(Buffer.alloc(10)).buffer.byteLength).toBe(MEBIBYTE);
  expect(large.byteLength).toBe(0);
});
