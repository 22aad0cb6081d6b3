/**
 * @module-tag redis
 */
import { expect, inject, test } from 'vitest';
import { ownCheckout } from '../../src/checkout.ts';
import type { RunOptions } from '../../src/proxy/bench.ts';
import { PAIRS } from '../../src/proxy/measure-pairs.ts';
import { measureProxy } from '../../src/proxy/measure-proxy.ts';
import { readParts } from '../../src/proxy/parts.ts';
import type { ProxyPlan } from '../../src/proxy/plan.ts';
import { ROLLOUT_WAYS } from '../../src/proxy/rollout-ways.ts';
import type { ProxyMeasurements } from '../../src/proxy/run.ts';
import { proxyTables } from '../../src/proxy/tables.ts';

const PLAN: ProxyPlan = {
  forwarding: { warmUp: 5, rounds: 1, windowMs: 20, connections: [1, 2] },
  firstContent: { warmUp: 5, rounds: 1, windowMs: 20, connections: [2] },
  latencySamples: 2,
  searchSamples: 2,
  starts: 1,
  peak: { connections: 2, exchanges: 10, starts: 1 },
  delays: { bodies: 1, largest: 0 },
  growth: { exchanges: 40, step: 20 },
  rollout: { samples: 2, warmUp: 1, pauseMs: 0, windows: 1, windowMs: 20 },
  sessionSamples: 2,
  pairs: { pairs: 2, warmUp: 5, rounds: 1, windowMs: 20, connections: [2] },
  inProcess: { rounds: 2, requests: 2 },
  loadModes: { rounds: 1, requests: 1 },
};

const measure = (parts: string, options: Partial<RunOptions> = {}) =>
  measureProxy(PLAN, { parts: readParts(parts), own: ownCheckout(), report: () => {}, ...options });

const PIPES = ['direct', 'undici pipe', 'http pipe'];

/** Every part starts processes, which takes long on a busy machine. */
const TIMEOUT_MS = 120_000;

function expectWholeRows(measurements: ProxyMeasurements): void {
  const run = { ...measurements, date: '', machine: {} as never, versions: {}, marks: [] };
  const tables = proxyTables(run);
  expect(tables).not.toEqual([]);
  for (const { header, rows } of tables) {
    for (const row of rows) expect(row).toHaveLength(header.length);
  }
}

test('measures what forwarding costs, and how soon the first text is there', {
  timeout: TIMEOUT_MS,
}, async () => {
  // Another test measures `off`.
  const ways = inject('isExhaustive') ? ['passthrough', 'off', 'tool-search', 'api'] : ['tool-search'];
  const measurements = await measure([...ways, 'first-content'].join());
  for (const [load, names] of [
    ['small', ['passthrough', 'off']],
    ['tools', ['tool-search', 'api']],
  ] as const) {
    const own = ways.filter((way) => names.some((name) => name === way)).map((way) => `winnow ${way}`);
    const measured = measurements.forwarding.find((forwarding) => forwarding.load === load);
    expect(measured?.windows.map(({ receiver }) => receiver) ?? []).toEqual(
      expect.arrayContaining(own.length > 0 ? [...PIPES, ...own] : []),
    );
  }
  for (const { windows } of measurements.forwarding) {
    expect(Math.min(...windows.map(({ perSecond }) => perSecond))).toBeGreaterThan(0);
  }
  const [unpaced, paced] = measurements.firstContent;
  expect([unpaced?.answer, paced?.answer]).toEqual(['stream', 'paced']);
  expect(unpaced?.windows.map(({ receiver }) => receiver).toSorted()).toEqual([
    'direct',
    'undici pipe',
    'winnow tool-search',
  ]);
  for (const { firstContentMs, p50Ms } of paced!.windows) {
    expect(firstContentMs).toBeGreaterThan(0);
    // The first text does not wait for the others.
    expect(firstContentMs).toBeLessThan(p50Ms);
  }
  expectWholeRows(measurements);
});

test('measures sessions', { timeout: TIMEOUT_MS }, async () => {
  const measurements = await measure('sessions');
  expect(measurements.sessions.map(({ what, times }) => [what, [...times.keys()]])).toEqual([
    ['read', ['memory', 'redis']],
    ['read and write', ['memory', 'redis']],
  ]);
  expectWholeRows(measurements);
});

// These start some eighty processes.
if (inject('isExhaustive')) {
  test('measures searches, starts, memory and delays', { timeout: TIMEOUT_MS }, async () => {
    const measurements = await measure('search,start,memory,delay');
    expect(
      measurements.searches.map(({ strategy, warm, cold }) => [strategy, warm.count, cold.count]),
    ).toEqual([
      ['tool-search', 2, 1],
      ['api', 2, 1],
    ]);
    expect(measurements.starts.map(({ name, times }) => [name, times.count])).toEqual([
      ['undici pipe', 1],
      ['winnow', 1],
    ]);
    expect(measurements.peaks.map(({ peaks }) => peaks.length)).toEqual([1, 1]);
    expect(new Set(measurements.delays.map(({ strategy }) => strategy))).toEqual(
      new Set(['tool-search', 'relevance']),
    );
    expectWholeRows(measurements);
  });

  test('measures single exchanges, growth, modes, the live page, the way in process and load modes', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const measurements = await measure('latency,growth,rollout,page,profiles,in-process,load-modes');
    for (const { whole, stream } of measurements.latency) {
      expect(whole.total.proxy.count).toBe(2);
      expect(stream.firstByte.pipe.p50).toBeGreaterThan(0);
      expect(stream.firstByte.pipe.p50).toBeLessThanOrEqual(stream.total.pipe.p50);
    }
    expect(measurements.growth!.points.map(({ exchanges }) => exchanges)).toEqual([20, 40]);
    expect(measurements.growth!.points[0]?.held).toBeGreaterThan(5_000_000);
    expect(measurements.rollout.map(({ slow, full }) => [[...slow.keys()], [...full.keys()]])).toEqual([
      [ROLLOUT_WAYS, ROLLOUT_WAYS],
      [ROLLOUT_WAYS, ROLLOUT_WAYS],
    ]);
    expect(measurements.loadModes.map(({ bridgeUs }) => bridgeUs > 0)).toEqual(new Array(6).fill(true));
    expect(measurements.inProcess.map(({ winnowUs }) => winnowUs > 0)).toEqual([true, true, true, true]);
    for (const { pair, pairs } of measurements.pairs) {
      const names = [PAIRS[pair].with, PAIRS[pair].without].toSorted();
      const receivers = pairs.map((windows) => windows.map(({ receiver }) => receiver).toSorted());
      expect(receivers).toEqual([names, names]);
    }
    expect(measurements.pairs.map(({ pair }) => pair)).toEqual(['page', 'page', 'profiles', 'profiles']);
    expectWholeRows(measurements);
  });
}

test('starts and measures only the requested parts, along with a baseline', {
  timeout: TIMEOUT_MS,
}, async () => {
  const reported: string[] = [];
  const own = ownCheckout();
  const measurements = await measure('off,search', {
    baseline: { ...own, name: 'baseline' },
    report: (line) => reported.push(line),
  });
  expect(reported).toEqual(['forwarding, 1 KB: off', 'search rounds']);
  expect(measurements).toMatchObject({
    forwarding: [{ ways: ['off'] }],
    latency: [],
    starts: [],
    sessions: [],
  });
  const receivers = measurements.forwarding[0]!.windows.map(({ receiver }) => receiver);
  expect(receivers).toEqual(expect.arrayContaining([...PIPES, 'winnow off', 'baseline off']));
  expect(measurements.searches.map(({ checkout, strategy }) => [checkout, strategy])).toEqual([
    ['winnow', 'tool-search'],
    ['baseline', 'tool-search'],
    ['winnow', 'api'],
    ['baseline', 'api'],
  ]);
  expect(measurements.searches[0]!.afterBaseline).toBeDefined();
});
