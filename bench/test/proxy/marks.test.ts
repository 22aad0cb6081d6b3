import { expect, test } from 'vitest';
import { proxyMarks } from '../../src/proxy/marks.ts';
import type { Latency } from '../../src/proxy/measure-latency.ts';
import type { ForwardingMeasurements, ProxyMeasurements } from '../../src/proxy/run.ts';
import { summarizeTimes } from '../../src/summarize-times.ts';

const took = (ms: number) => summarizeTimes([ms]);
const latency = (total: [number, number, number], firstByte: [number, number, number]): Latency => ({
  bodyBytes: 1,
  total: { direct: took(total[0]), pipe: took(total[1]), proxy: took(total[2]) },
  firstByte: { direct: took(firstByte[0]), pipe: took(firstByte[1]), proxy: took(firstByte[2]) },
});
const forwarding = (ratio: number, whole: Latency, stream: Latency): ForwardingMeasurements => ({
  throughput: {
    connections: 16,
    bodyBytes: 1,
    perSecond: { direct: 4, pipe: 2, proxy: 1 },
    cpuMs: { direct: undefined, pipe: undefined, proxy: undefined },
    ratio,
    windows: 1,
  },
  whole,
  stream,
});
const unused = latency([0, 0, 0], [0, 0, 0]);

const measured: ProxyMeasurements = {
  small: forwarding(0.6, latency([0.5, 1, 1.75], [0, 0, 0]), latency([0, 0, 0], [0.5, 1, 2])),
  deferred: forwarding(0.34, latency([1, 2, 3.5], [0, 0, 0]), latency([0, 0, 0], [1, 2, 4.5])),
  searches: [],
  memory: { points: [], growth: { resident: -5, held: 101 }, open: 1 },
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

test('sets every mark beside its figure', () => {
  expect(proxyMarks(measured).map(({ measured: figure, isMet }) => [figure, isMet])).toEqual([
    ['0.60', true],
    ['0.34', false],
    // 1.75 - 0.5: beside the direct way, not the pipe.
    ['1.250 ms', false],
    ['2.500 ms', true],
    // 2 - 1 and 4.5 - 2: beside the pipe.
    ['1.000 ms', true],
    ['2.500 ms', false],
    ['101.0 bytes', false],
    ['-5.0 bytes', true],
    ['1', false],
    // Beside the noise of 0.04 ms, not of their own spread.
    ['-0.100 ms', true],
    ['0.040 ms', true],
    ['0.050 ms', false],
    ['1.000 ms', true],
    ['1.100 ms', false],
  ]);
});

test('holds a mark that is met exactly', () => {
  const exact = { ...measured, deferred: forwarding(0.35, unused, unused) };
  expect(proxyMarks(exact)[1]).toMatchObject({ measured: '0.35', isMet: true });
});
