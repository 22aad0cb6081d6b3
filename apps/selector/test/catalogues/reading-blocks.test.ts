import { expect, test } from 'vitest';
import { ReadingBlocks } from '../../src/catalogues/reading-blocks.ts';

const MEBIBYTE = 2 ** 20;

test('gives as many bytes as are asked for, of a block that cannot be resized', () => {
  const taken = new ReadingBlocks().take(3);
  expect([taken.length, taken.buffer.resizable]).toEqual([3, false]);
});

test('gives a block that has come back again, and none that is out', () => {
  const blocks = new ReadingBlocks();
  const [first, second] = [blocks.take(10).buffer, blocks.take(10).buffer];
  expect(second).not.toBe(first);
  blocks.giveBack(first);
  const again = blocks.take(MEBIBYTE);
  expect(again.buffer).toBe(first);
  expect(again.length).toBe(MEBIBYTE);
  expect(blocks.take(10).buffer).not.toBe(first);
});

test('lets a block go that is too small for the next body', () => {
  const blocks = new ReadingBlocks();
  const small = blocks.take(10).buffer;
  blocks.giveBack(small);
  const larger = blocks.take(4 * MEBIBYTE).buffer;
  expect([small.byteLength, larger.byteLength]).toEqual([0, 4 * MEBIBYTE]);
  blocks.giveBack(larger);
  expect(blocks.take(10).buffer).toBe(larger);
});

test('keeps no block of more than 4 MiB, and the others for other bodies meanwhile', () => {
  const blocks = new ReadingBlocks();
  const small = blocks.take(10).buffer;
  blocks.giveBack(small);
  const large = blocks.take(4 * MEBIBYTE + 1).buffer;
  blocks.giveBack(large);
  expect(large.byteLength).toBe(0);
  expect(blocks.take(10).buffer).toBe(small);
});
