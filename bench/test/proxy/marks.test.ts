import { expect, test } from 'vitest';
import type { RoundWindow } from '../../src/proxy/compare-windows.ts';
import { proxyMarks } from '../../src/proxy/marks.ts';
import type { Latency } from '../../src/proxy/measure-latency.ts';
import type { SearchTimes } from '../../src/proxy/measure-search.ts';
import type { ForwardingCost, ProxyMeasurements } from '../../src/proxy/run.ts';
import { summarizeTimes } from '../../src/summarize-times.ts';

const took = (ms: number) => summarizeTimes([ms]);
const latency = (total: [number, number, number], firstByte: [number, number, number]): Latency => ({
  bodyBytes: 1,
  total: { direct: took(total[0]), pipe: took(total[1]), proxy: took(total[2]) },
  firstByte: { direct: took(firstByte[0]), pipe: took(firstByte[1]), proxy: took(firstByte[2]) },
});
const unused = latency([0, 0, 0], [0, 0, 0]);

const nothing: ProxyMeasurements = {
  forwarding: [],
  latency: [],
  firstContent: [],
  searches: [],
  starts: [],
  peaks: [],
  delays: [],
  rollout: [],
  sessions: [],
  pairs: [],
  inProcess: [],
  loadModes: [],
  notes: [],
};

/** One round with the given microseconds for each receiver, and the requests per second that result. */
const costs = (connections: number, cpuUs: Readonly<Record<string, number | undefined>>): RoundWindow[] =>
  Object.entries(cpuUs).map(([receiver, cost]) => ({
    round: 1,
    receiver,
    connections,
    cpuUs: cost,
    perSecond: 1_000_000 / (cost ?? 1),
    p50Ms: 1,
    firstContentMs: cost ?? 1,
    benchCpuUs: 1,
  }));

const small = (windows: readonly RoundWindow[]): ForwardingCost => ({
  load: 'small',
  title: 'small',
  bodyBytes: 1,
  ways: ['passthrough'],
  windows,
});

const judged = (measurements: Partial<ProxyMeasurements>) =>
  proxyMarks({ ...nothing, ...measurements }).map(({ measured, isMet }) => [measured, isMet]);

test('compares the undici pipe’s processor time with Winnow’s, and with the baseline’s if there is one', () => {
  const windows = [
    ...costs(1, { 'undici pipe': 75, 'winnow passthrough': 100, 'baseline passthrough': 300 }),
    ...costs(16, { 'undici pipe': 49, 'winnow passthrough': 100 }),
  ];
  expect(judged({ forwarding: [small(windows)] })).toEqual([
    ['0.75 (0.75–0.75); baseline 0.25 (0.25–0.25)', true],
    ['0.49 (0.49–0.49)', false],
  ]);
});

test('has no mark of processor time if the system does not report it', () => {
  const windows = costs(1, { 'undici pipe': undefined, 'winnow passthrough': undefined });
  expect(judged({ forwarding: [small(windows)] })).toEqual([]);
});

test('reports that the bench itself is the limit if a floor in C is hardly above the pipe', () => {
  const limited = costs(64, { haproxy: 80, 'undici pipe': 100 });
  const free = costs(64, { nginx: 40, 'undici pipe': 100 });
  expect(judged({ forwarding: [small(limited), small(free)] })).toEqual([
    ['1.25 (1.25–1.25)', false],
    ['2.50 (2.50–2.50)', true],
  ]);
});

test('compares requests per second with the node:http pipe’s', () => {
  const windows = costs(16, { 'http pipe': 60, 'winnow passthrough': 100 });
  expect(judged({ forwarding: [small(windows)] })).toEqual([['0.60 (0.60–0.60)', true]]);
});

test('allows three times the pipe’s time until the first visible content', () => {
  const times = { 'undici pipe': 2, 'winnow tool-search': 6, 'baseline tool-search': 8 };
  const firstContent = (changed: object) => [
    { answer: 'paced' as const, windows: costs(16, { ...times, ...changed }) },
  ];
  expect(judged({ firstContent: firstContent({}) })).toEqual([
    ['3.00 (3.00–3.00) times: 6.00 ms, pipe 2.00 ms; baseline 4.00 (4.00–4.00)', true],
  ]);
  expect(judged({ firstContent: firstContent({ 'winnow tool-search': 6.1 }) })[0]![1]).toBe(false);
});

const searched = (afterDirectMs: number, afterBaselineMs?: number): SearchTimes => ({
  checkout: 'winnow',
  strategy: 'api',
  warm: took(10),
  cold: took(1),
  afterDirect: { differenceMs: afterDirectMs, spreadMs: 0 },
  afterBaseline: afterBaselineMs === undefined ? undefined : { differenceMs: afterBaselineMs, spreadMs: 0 },
});

test('compares a search round with the baseline’s, or with a fixed time if there is none', () => {
  expect(judged({ searches: [searched(4.7), searched(4.71)] }).map(([, isMet]) => isMet)).toEqual([
    true,
    false,
  ]);
  expect(judged({ searches: [searched(9, 0.4), searched(1, 1)] }).map(([, isMet]) => isMet)).toEqual([
    true,
    false,
  ]);
  expect(judged({ searches: [{ ...searched(9), checkout: 'baseline' }] })).toEqual([]);
});

test('names the start times of the pipe and the baseline next to Winnow’s', () => {
  const starts = [
    { name: 'undici pipe', times: took(190), cpuMs: 1 },
    { name: 'winnow', times: took(501), cpuMs: 1 },
  ];
  expect(judged({ starts })).toEqual([['501 ms (undici pipe 190 ms)', false]]);
  const withBaseline = [...starts, { name: 'baseline', times: took(700), cpuMs: 1 }];
  expect(judged({ starts: withBaseline })[0]![0]).toBe('501 ms (undici pipe 190 ms, baseline 700 ms)');
});

test('takes the highest peak of memory, and names the pipe’s next to it', () => {
  const mib = 2 ** 20;
  const effort = { connections: 64, exchanges: 1 };
  const peaks = [
    { name: 'undici pipe', ...effort, peaks: [900 * mib] },
    { name: 'winnow', ...effort, peaks: [100 * mib, 251 * mib] },
  ];
  expect(judged({ peaks })).toEqual([['251 MiB (undici pipe 900 MiB)', false]]);
  expect(judged({ peaks: [{ name: 'winnow', ...effort, peaks: [undefined] }] })).toEqual([]);
});

test('names the worst body of those up to 1 MB, and of the largest ones', () => {
  const delay = (title: string, longestMs: number, isLargest = false) => ({
    checkout: 'winnow' as const,
    strategy: 'tool-search' as const,
    title,
    isLargest,
    bodyBytes: 1,
    bodies: 1,
    longestMs,
    p50Ms: 1,
  });
  const foreign = { ...delay('theirs', 900), checkout: 'baseline' as const };
  const delays = [delay('one', 20), delay('two', 50), foreign, delay('all', 301, true)];
  expect(judged({ delays })).toEqual([
    ['50.0 ms (tool-search: two)', true],
    ['301.0 ms (tool-search: all)', false],
  ]);
});

test('compares every other mark with its figure', () => {
  const measured: Partial<ProxyMeasurements> = {
    latency: [
      {
        load: 'small',
        title: 'small',
        whole: latency([0.5, 1, 1.75], [0, 0, 0]),
        stream: latency([0, 0, 0], [0.5, 1, 2]),
      },
      {
        load: 'tools',
        title: 'tools',
        whole: latency([1, 2, 3.5], [0, 0, 0]),
        stream: latency([0, 0, 0], [1, 2, 4.5]),
      },
    ],
    growth: { points: [], growth: { resident: -5, held: 101 }, open: 1 },
    rollout: [
      {
        request: 'small',
        slow: new Map(),
        full: new Map(),
        afterPassthrough: new Map([
          ['passthrough again', { differenceMs: 0.01, spreadMs: 0.04 }],
          ['off', { differenceMs: -0.1, spreadMs: 1 }],
          ['dark', { differenceMs: 0.04, spreadMs: 1 }],
          ['shadow', { differenceMs: 0.05, spreadMs: 1 }],
        ]),
      },
    ],
    sessions: [
      { what: 'read', times: new Map(), added: { differenceMs: 1, spreadMs: 2 } },
      { what: 'read and write', times: new Map(), added: { differenceMs: 1.1, spreadMs: 0 } },
    ],
  };
  expect(judged(measured)).toEqual([
    // 1.75 - 0.5: relative to the direct way, not the pipe.
    ['1.250 ms', false],
    // 2 - 1: relative to the pipe.
    ['1.000 ms', true],
    ['2.500 ms', true],
    ['2.500 ms', false],
    ['101.0 bytes', false],
    ['-5.0 bytes', true],
    ['1', false],
    // Compared with the noise of 0.04 ms, not with their own spread.
    ['-0.100 ms', true],
    ['0.040 ms', true],
    ['0.050 ms', false],
    ['1.000 ms', true],
    ['1.100 ms', false],
  ]);
});

test('allows more for 200 tools than for a small request', () => {
  const whole = latency([0, 0, 2], [0, 0, 0]);
  const both = (['small', 'tools'] as const).map((load) => ({ load, title: load, whole, stream: unused }));
  expect(judged({ latency: both }).map(([, isMet]) => isMet)).toEqual([false, true, true, true]);
});

test('compares the cost in process with the bare package', () => {
  const cost = (median: number) => [
    { title: 'x', most: 1.5, bareUs: 1, winnowUs: median, ratio: { median, low: 1, high: 2 } },
  ];
  expect(judged({ inProcess: cost(1.5) })).toEqual([['1.50 (middle half: 1.00–2.00)', true]]);
  expect(judged({ inProcess: cost(1.51) })).toEqual([['1.51 (middle half: 1.00–2.00)', false]]);
});

test('compares the cost of the live page with a proxy without it', () => {
  const cost = (...shares: number[]) => [
    {
      pair: 'page' as const,
      title: 'small',
      pairs: shares.map((share) => costs(16, { 'with the page': share, 'without it': 100 })),
    },
  ];
  expect(judged({ pairs: cost(101.9) })).toEqual([['1.019 (95 %: 1.019–1.019)', true]]);
  expect(judged({ pairs: cost(103) })).toEqual([['1.030 (95 %: 1.030–1.030)', false]]);
  // One pair of processes with an accidental difference does not outweigh the others.
  expect(judged({ pairs: cost(140, 101, 99) })).toEqual([['1.010 (95 %: 0.990–1.400)', true]]);
});

test('compares bridge mode with swap mode', () => {
  const cost = (median: number) => [
    { title: 'x', swapUs: 1, bridgeUs: median, ratio: { median, low: 1, high: 2 } },
  ];
  expect(judged({ loadModes: cost(1.1) })).toEqual([['1.10 (middle half: 1.00–2.00)', true]]);
  expect(judged({ loadModes: cost(1.11) })).toEqual([['1.11 (middle half: 1.00–2.00)', false]]);
});
