import { expect, test } from 'vitest';
import { compareWindows, type RoundWindow } from '../../src/proxy/compare-windows.ts';

const window = (
  round: number,
  receiver: string,
  cpuUs: number | undefined,
  connections = 16,
): RoundWindow => {
  return {
    round,
    receiver,
    connections,
    cpuUs,
    perSecond: 1_000 / (cpuUs ?? 1),
    p50Ms: 1,
    firstContentMs: 1,
    benchCpuUs: 1,
  };
};
const pipeOverWinnow = { connections: 16, dividend: 'pipe', divisor: 'winnow', by: 'cpuUs' } as const;

test('divides the windows of each round, so that a slower machine affects both', () => {
  const windows = [10, 20, 80].flatMap((cost, round) => [
    window(round, 'winnow', cost * 2),
    window(round, 'pipe', cost),
  ]);
  expect(compareWindows(windows, pipeOverWinnow)).toEqual({ median: 0.5, low: 0.5, high: 0.5 });
});

test('reports the middle half of the rounds', () => {
  const windows = [9, 4, 1, 2, 40].flatMap((cost, round) => [
    window(round, 'pipe', cost),
    window(round, 'winnow', 4),
  ]);
  expect(compareWindows(windows, pipeOverWinnow)).toEqual({ median: 1, low: 0.5, high: 2.25 });
});

test('compares windows of one number of connections only', () => {
  const windows = [
    window(1, 'pipe', 1),
    window(1, 'winnow', 2),
    window(1, 'pipe', 9, 1),
    window(1, 'winnow', 9, 1),
  ];
  expect(compareWindows(windows, pipeOverWinnow)?.median).toBe(0.5);
  expect(compareWindows(windows, { ...pipeOverWinnow, connections: 1 })?.median).toBe(1);
});

test('has no ratio if the system reports no time, or if one receiver was not measured', () => {
  expect(
    compareWindows([window(1, 'pipe', undefined), window(1, 'winnow', 2)], pipeOverWinnow),
  ).toBeUndefined();
  expect(compareWindows([window(1, 'pipe', 1)], pipeOverWinnow)).toBeUndefined();
  expect(compareWindows([], pipeOverWinnow)).toBeUndefined();
});
