import { describe, expect, test } from 'vitest';
import { TextTable } from '../src/text/text-table.ts';

const words = (count: number) => Array.from({ length: count }, (_, number) => `word${number.toString(36)}`);

describe('a text table', () => {
  test('finds each of its texts by its letters, and no other', () => {
    const texts = ['mail', 'mailbox', 'box', '', 'Über', '天気', '😀', '__proto__'];
    const table = TextTable.of(texts);
    expect(texts.map((text) => table.find(text))).toEqual([...texts.keys()]);
    expect([...texts.keys()].map((number) => table.at(number))).toEqual(texts);
    for (const other of ['ma', 'mailb', 'boxx', 'über', 'Mail', '天', '\ud83d', 'constructor'])
      expect(table.find(other)).toBeUndefined();
  });

  test.each([0, 1, 2, 3, 1_000])('of %d texts knows them all', (count) => {
    const texts = words(count);
    const table = TextTable.of(texts);
    expect(table.length).toBe(count);
    expect(texts.every((text, number) => table.find(text) === number)).toBe(true);
    expect(table.find('other')).toBeUndefined();
  });

  test('is the same when it has moved to another thread', () => {
    const packed = TextTable.of(words(100)).pack();
    const moved = new TextTable(structuredClone(packed, { transfer: [packed.ends.buffer as ArrayBuffer] }));
    expect(moved.find('word2r')).toBe(99);
    expect(moved.at(99)).toBe('word2r');
  });

  test('finds texts that are chosen to collide in one slot', () => {
    // What stands at neighbours, modulo 256, in a large table is looked for at one of two places in a table of 256 slots.
    const { slots } = TextTable.of(words(20_000)).pack();
    const placeOf = new Map(Array.from(slots, (number, slot) => [number - 1, (slot & 0xff) >> 1]));
    const crowd = words(20_000).filter((_, number) => placeOf.get(number) === 3);
    expect(crowd.length).toBeGreaterThanOrEqual(110);
    const table = TextTable.of(crowd.slice(0, 100));
    expect(table.pack().crowded!.length).toBeGreaterThan(20);
    expect(crowd.slice(0, 100).every((text, number) => table.find(text) === number)).toBe(true);
    for (const other of crowd.slice(100, 110)) expect(table.find(other)).toBeUndefined();
    const moved = new TextTable(structuredClone(table.pack()));
    expect(moved.find(crowd[99]!)).toBe(99);
  });
});
