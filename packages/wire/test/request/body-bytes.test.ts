import { describe, expect, test } from 'vitest';
import { BodyBytes } from '../../src/json/body-bytes.ts';

const TEXT = '{"x":[1,2,3],"y":"ü"}';
const all = Buffer.from(TEXT);

/** Every way to cut the text into three pieces, including empty ones. */
const cuts = Array.from({ length: all.length + 1 }, (_, first) =>
  Array.from({ length: all.length + 1 - first }, (_, more) => [first, first + more] as const),
).flat();

const cutAt = (first: number, second: number) =>
  new BodyBytes([all.subarray(0, first), all.subarray(first, second), all.subarray(second)]);

describe('the bytes of a body, however they came', () => {
  test('are the same as one', () => {
    for (const [first, second] of cuts) {
      const body = cutAt(first, second);
      expect(body.length).toBe(all.length);
      expect(body.whole.equals(all)).toBe(true);
      expect(body.whole).toBe(body.whole);
    }
  });

  test('are the same in every part', () => {
    for (const [first, second] of cuts) {
      const body = cutAt(first, second);
      for (const [start, end] of [
        [0, 4],
        [5, 12],
        [0, all.length],
        [7, 7],
      ] as const) {
        expect(body.slice(start, end).equals(all.subarray(start, end))).toBe(true);
      }
      expect(body.slice(13).equals(all.subarray(13))).toBe(true);
      expect([0, 5, 12, all.length].map((position) => body.at(position))).toEqual(
        [0, 5, 12, all.length].map((position) => all[position]),
      );
    }
  });

  test('are compared with others at any place', () => {
    const list = Buffer.from('[1,2,3]');
    for (const [first, second] of cuts) {
      const body = cutAt(first, second);
      expect(body.holds(list, 5)).toBe(true);
      expect(body.holds(list, 4)).toBe(false);
      expect(body.holds(Buffer.from('[1,2,4]'), 5)).toBe(false);
      expect(body.holds(list, all.length - 3)).toBe(false);
    }
  });

  test('are searched piece by piece, from any place on', () => {
    const key = Buffer.from('"');
    const places = [...TEXT.matchAll(/"/g)].map(({ index }) => index);
    for (const [first, second] of cuts) {
      const body = cutAt(first, second);
      const found: number[] = [];
      for (let at = body.indexOf(key); at !== -1; at = body.indexOf(key, at + 1)) found.push(at);
      // The only two-byte character is before the last quote.
      expect(found).toEqual([...places.slice(0, -1), places.at(-1)! + 1]);
    }
    expect(cutAt(2, 4).indexOf(Buffer.from('"x"'))).toBe(-1);
    expect(new BodyBytes([]).indexOf(key)).toBe(-1);
    expect(new BodyBytes([]).whole).toHaveLength(0);
  });

  test('are the same once they are let go of and needed again', () => {
    const changed = cuts.filter(([first, second]) => {
      const body = cutAt(first, second);
      body.letGo(() => [all.subarray(0, first), all.subarray(first)]);
      return !body.slice(first).equals(all.subarray(first)) || !body.whole.equals(all);
    });
    expect(changed).toEqual([]);
  });
});
