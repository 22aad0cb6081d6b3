import { expect, test } from 'vitest';
import { copyInTurns } from '../../src/catalogues/copy-in-turns.ts';

const MIB = 2 ** 20;

/** Copies, and counts how often others had their turn. */
async function copied(bytes: Buffer) {
  let pauses = 0;
  const copy = Buffer.alloc(bytes.length);
  await copyInTurns(bytes, copy, async () => {
    pauses += 1;
  });
  return { copy, pauses };
}

test.each([
  ['no bytes', 0, 0],
  ['what is small', 5, 0],
  ['2 MiB', 2 * MIB, 0],
  ['a byte more', 2 * MIB + 1, 1],
  ['6 MiB', 6 * MIB, 2],
])('copies %s, letting others go first after each 2 MiB', async (_, length, expected) => {
  const bytes = Buffer.alloc(length, 'winnow');
  const { copy, pauses } = await copied(bytes);
  expect(copy.equals(bytes)).toBe(true);
  expect(pauses).toBe(expected);
});
