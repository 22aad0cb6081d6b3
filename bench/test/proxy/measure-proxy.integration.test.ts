import { expect, inject, test } from 'vitest';
import { ownCheckout } from '../../src/checkout.ts';
import type { RunOptions } from '../../src/proxy/bench.ts';
import { proxyMarks } from '../../src/proxy/marks.ts';
import { measureProxy } from '../../src/proxy/measure-proxy.ts';
import { readParts } from '../../src/proxy/parts.ts';
import type { ProxyPlan } from '../../src/proxy/plan.ts';
import type { ProxyMeasurements } from '../../src/proxy/run.ts';
import { proxyPage, proxyTables } from '../../src/proxy/tables.ts';

const PLAN: ProxyPlan = {
  cost: { warmUp: 5, rounds: 1, windowMs: 20, connections: [1, 16], withFloor: false },
  load: { connections: 2, seconds: 0.1 },
  starts: 1,
  inProcess: { rounds: 2, requests: 2 },
  searchSamples: 2,
  delays: { bodies: 1, largest: 0 },
  growth: { exchanges: 40, step: 20 },
};

const measure = (parts: string, options: Partial<RunOptions> = {}) =>
  measureProxy(PLAN, { parts: readParts(parts), own: ownCheckout(), report: () => {}, ...options });

/** Every part starts processes, which takes long on a busy machine. */
const TIMEOUT_MS = 120_000;

function expectWholeRows(measurements: ProxyMeasurements): void {
  const marks = proxyMarks(measurements);
  const run = { ...measurements, date: '', machine: {} as never, versions: {}, marks };
  for (const { header, rows } of [...proxyTables(run), proxyPage(run)]) {
    expect(rows).not.toEqual([]);
    for (const row of rows) expect(row).toHaveLength(header.length);
  }
}

test('measures only the requested rows, with the pipe and a baseline in the same rounds', {
  timeout: TIMEOUT_MS,
}, async () => {
  const reported: string[] = [];
  const own = ownCheckout();
  const measurements = await measure('off,next', {
    baseline: { ...own, name: 'baseline' },
    report: (line) => reported.push(line),
  });
  expect(reported).toEqual(['1 KB, rollout off', '200 tools deferred, the next request of a conversation']);
  for (const { windows } of measurements.costs) {
    expect(windows.map(({ receiver, connections }) => `${receiver} ${connections}`).toSorted()).toEqual([
      'baseline 1',
      'baseline 16',
      'pipe 1',
      'pipe 16',
      'winnow 1',
      'winnow 16',
    ]);
    expect(Math.min(...windows.map(({ perSecond }) => perSecond))).toBeGreaterThan(0);
  }
  expect(measurements).toMatchObject({ memory: [], starts: [], inProcess: [], searches: [], delays: [] });
  expectWholeRows(measurements);
});

// These start some fifty processes.
if (inject('isExhaustive')) {
  test('measures every row of the table and every format', { timeout: TIMEOUT_MS }, async () => {
    const measurements = await measure('no-tools,left-alone,new,stream,joined,formats,start,in-process');
    expect(measurements.costs).toHaveLength(12);
    expect(measurements.starts.map(({ name, times }) => [name, times.count])).toEqual([
      ['pipe', 1],
      ['winnow', 1],
    ]);
    expect(measurements.inProcess.map(({ winnowUs }) => winnowUs > 0)).toEqual([true, true, true, true]);
    expectWholeRows(measurements);
  });

  test('measures memory, searches, delays and growth', { timeout: TIMEOUT_MS }, async () => {
    const measurements = await measure('memory,search,delay,growth');
    expect(measurements.memory.map(({ name }) => name)).toEqual(['pipe', 'winnow']);
    expect(
      measurements.searches.map(({ strategy, warm, cold }) => [strategy, warm.count, cold.count]),
    ).toEqual([
      ['tool-search', 2, 1],
      ['api', 2, 1],
    ]);
    expect(new Set(measurements.delays.map(({ strategy }) => strategy))).toEqual(
      new Set(['tool-search', 'relevance']),
    );
    expect(measurements.growth!.points.map(({ exchanges }) => exchanges)).toEqual([20, 40]);
    expect(measurements.growth!.points[0]?.held).toBeGreaterThan(5_000_000);
    expectWholeRows(measurements);
  });
}
