import { expect, it } from 'vitest';
import { RecentMap } from '../../src/bounds/recent-map.ts';

it('drops the least recently used entries when there are too many', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
});

it('drops the least recently used entries when they are too heavy together', () => {
  const map = new RecentMap<string, number>(10, { most: 10, weigh: (_, value) => value });
  map.set('a', 4);
  map.set('b', 4);
  map.set('a', 5);
  map.set('c', 5);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([5, undefined, 5]);
});

it('holds no entry that is too heavy alone, and weighs correctly afterwards', () => {
  const map = new RecentMap<string, number>(10, { most: 10, weigh: (_, value) => value });
  expect(map.getOrAdd('a', () => 11)).toBe(11);
  expect(map.get('a')).toBeUndefined();
  map.delete('a');
  map.set('b', 10);
  expect(map.get('b')).toBe(10);
});

it('counts a repeated use, and finds nothing under the last key once it is dropped', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect([map.get('b'), map.get('b'), map.get('a'), map.get('b'), map.get('a')]).toEqual([2, 2, 1, 2, 1]);
  map.set('c', 3);
  expect([map.get('b'), map.get('a')]).toEqual([undefined, 1]);
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
});
