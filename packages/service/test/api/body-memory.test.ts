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

test('leaves room to other tokens, however many bodies one token sends slowly', () => {
  const parties = [{ tenant: 'a' }, { tenant: 'b' }];
  const memory = new BodyMemory(16 * MEGABYTE, parties);
  const open = (party: (typeof parties)[number], bytes: number) => () => memory.open(party).resize(bytes);
  const sizes = Array.from({ length: 150 }, () => 0.2 * MEGABYTE);
  const taken = sizes.filter((bytes) => {
    try {
      open(parties[0]!, bytes)();
      return true;
    } catch {
      return false;
    }
  });
  expect(taken.length).toBe(40);
  for (let count = 0; count < 10; count++) open(parties[1]!, 0.2 * MEGABYTE)();
  expect(open(parties[0]!, 1)).toThrow('Too many bytes');
});

test('gives two tokens of one tenant their shares, and a body more room as it grows', () => {
  const [one, other] = [{ tenant: 'a' }, { tenant: 'a' }];
  const memory = new BodyMemory(16 * MEGABYTE, [one, other]);
  memory.open(other).resize(1);
  const body = memory.open(one);
  for (let bytes = 1; bytes <= 8; bytes++) body.resize(bytes * MEGABYTE - 1);
  expect(() => body.resize(9 * MEGABYTE)).toThrow('Too many bytes');
  // A body may always become smaller.
  body.resize(MEGABYTE);
  memory.useParties([one]);
  body.resize(13 * MEGABYTE);
});
