import { expect, test } from 'vitest';
import { measureProxy } from '../../src/proxy/measure-proxy.ts';
import { ROLLOUT_WAYS } from '../../src/proxy/rollout-ways.ts';
import { proxyTables } from '../../src/proxy/tables.ts';

test('measures a proxy of its own from start to stop', { timeout: 60_000 }, async () => {
  const plan = {
    throughput: { windows: 1, windowMs: 20 },
    latencySamples: 2,
    searchSamples: 2,
    memory: { exchanges: 40, step: 20 },
    rollout: { samples: 2, pauseMs: 0, windows: 1, windowMs: 20 },
    sessionSamples: 2,
  };
  const measurements = await measureProxy(plan, { report: () => {} });

  for (const { throughput, whole, stream } of [measurements.small, measurements.deferred]) {
    expect(throughput.ratio).toBeGreaterThan(0);
    expect(whole.total.proxy.count).toBe(2);
    expect(stream.firstByte.pipe.p50).toBeGreaterThan(0);
    expect(stream.firstByte.pipe.p50).toBeLessThanOrEqual(stream.total.pipe.p50);
  }
  expect(measurements.searches.map(({ strategy, warm, cold }) => [strategy, warm.count, cold.count])).toEqual(
    [
      ['tool-search', 2, 1],
      ['api', 2, 1],
    ],
  );
  expect(measurements.memory.points.map(({ exchanges }) => exchanges)).toEqual([20, 40]);
  expect(measurements.memory.points[0]?.held).toBeGreaterThan(5_000_000);

  expect(measurements.rollout.map(({ slow, full }) => [[...slow.keys()], [...full.keys()]])).toEqual([
    [ROLLOUT_WAYS, ROLLOUT_WAYS],
    [ROLLOUT_WAYS, ROLLOUT_WAYS],
  ]);
  expect(measurements.sessions.map(({ what, times }) => [what, [...times.keys()]])).toEqual([
    ['read', ['memory', 'redis']],
    ['read and write', ['memory', 'redis']],
  ]);

  const run = { ...measurements, date: '2026-01-01T00:00:00Z', machine: {} as never, marks: [] };
  for (const { header, rows } of proxyTables(run)) {
    for (const row of rows) expect(row).toHaveLength(header.length);
  }
});
