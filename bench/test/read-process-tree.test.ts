import { expect, test } from 'vitest';
import {
  cpuMsOf,
  type ProcessStat,
  parseStat,
  readCpuTime,
  readPeakMemory,
  treeOf,
} from '../src/read-process-tree.ts';

const FIELDS_AFTER_PARENT = '1 1 0 -1 4194304 97 0 0 0';

test('reads the ticks of a process, and those of its ended children', () => {
  const line = `4321 (node) S 17 ${FIELDS_AFTER_PARENT} 120 30 5 2 20 0 11 0 115639`;
  expect(parseStat(line)).toEqual({ pid: 4321, parent: 17, ownMs: 1_500, childrenMs: 70 });
});

test('reads the fields after a name with blanks and brackets', () => {
  const line = `9 (a ) S 1 (b) R 8 ${FIELDS_AFTER_PARENT} 1 0 0 0 20 0 1 0 1`;
  expect(parseStat(line)).toEqual({ pid: 9, parent: 8, ownMs: 10, childrenMs: 0 });
});

const process = (pid: number, parent: number): ProcessStat => ({ pid, parent, ownMs: 0, childrenMs: 0 });

test('finds exactly the descendants, in any order of the list', () => {
  const processes = [process(40, 30), process(20, 10), process(30, 20), process(10, 1), process(50, 1)];
  expect(treeOf(10, processes).map(({ pid }) => pid)).toEqual([10, 20, 30, 40]);
});

test('adds up threads to the nanosecond, and ended children', () => {
  const stat = { pid: 1, parent: 0, ownMs: 10, childrenMs: 30 };
  expect(cpuMsOf(stat, ['12500000 77 3', '2500000 1 1'])).toBe(45);
});

test('uses the ticks if they are higher, because only they include ended threads', () => {
  expect(cpuMsOf({ pid: 1, parent: 0, ownMs: 20, childrenMs: 0 }, ['5000000 0 1'])).toBe(20);
  expect(cpuMsOf({ pid: 1, parent: 0, ownMs: 20, childrenMs: 0 }, [])).toBe(20);
});

test('has no tree for a missing process', () => {
  expect(treeOf(10, [process(20, 10)])).toEqual([]);
});

test('reads the time that this process has used', { tags: ['linux'] }, () => {
  expect(readCpuTime(globalThis.process.pid)).toBeGreaterThan(0);
  expect(readPeakMemory(globalThis.process.pid)).toBeGreaterThan(1_000_000);
});

test('returns undefined for a missing process', () => {
  expect(readCpuTime(2 ** 30)).toBeUndefined();
  expect(readPeakMemory(2 ** 30)).toBeUndefined();
});
