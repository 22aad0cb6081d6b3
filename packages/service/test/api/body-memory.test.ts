import { expect, test } from 'vitest';
import { BodyMemory } from '../../src/api/admission.ts';

const MEGABYTE = 2 ** 20;

test('leaves an eighth of the room to small requests', () => {
  const memory = new BodyMemory(16 * MEGABYTE);
  memory.open().resize(14 * MEGABYTE);
  expect(() => memory.open().resize(1.5 * MEGABYTE)).toThrow('Too many bytes');
  memory.open().resize(MEGABYTE);
  memory.open().resize(MEGABYTE);
  expect(() => memory.open().resize(1)).toThrow('Too many bytes');
});

test('gives all of the room to the only request', () => {
  const memory = new BodyMemory(16 * MEGABYTE);
  const alone = memory.open();
  alone.resize(16 * MEGABYTE);
  expect(() => alone.resize(16 * MEGABYTE + 1)).toThrow('Too many bytes');
  alone.release();
  expect(memory.held).toBe(0);
});
