import { startCollector } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock, ExportState } from '../../src/tracing/span.ts';
import { NO_TRACE } from '../../src/tracing/span.ts';
import { startTracing } from '../../src/tracing/start-tracing.ts';
import type { SamplerName } from '../../src/tracing/tracing-settings.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const SAMPLED = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'vendor=1' };
const NOT_SAMPLED = { traceparent: `00-${TRACE}-${SPAN}-00` };
const NEVER = new AbortController().signal;

const CLOCK: Clock = { now: () => performance.now(), wallClock: () => Date.now() };

/** Tracing that sends to a collector, or nowhere. */
async function start(
  mood: 'well' | 'refuses' | 'hangs' = 'well',
  sampler: SamplerName = 'parentbased_always_on',
  clock = CLOCK,
) {
  const collector = await startCollector(mood);
  onTestFinished(() => collector.close());
  const states: ExportState[] = [];
  const tracing = await startTracing({
    settings: { url: `${collector.url}/v1/traces`, sampler, ratio: 1 },
    serviceName: 'tested',
    clock,
    onChange: (state) => states.push(state),
  });
  return { collector, states, tracing, tracer: tracing.tracer };
}

test('sends spans with their tree, kinds, attributes and errors', async () => {
  const { collector, tracing, tracer } = await start();
  const root = tracer.start('root', 'server', NO_TRACE, { 'http.request.method': 'POST' });
  const child = root.startChild('child', 'client');
  child.set({ 'server.port': 80, 'winnow.stream': true, 'url.path': undefined });
  child.fail('api_error');
  child.end();
  root.end();
  await tracing.close(NEVER);
  expect(collector.spans).toMatchObject([
    {
      service: 'tested',
      name: 'child',
      kind: 'client',
      hasFailed: true,
      attributes: { 'server.port': 80, 'winnow.stream': true, 'error.type': 'api_error' },
    },
    {
      name: 'root',
      kind: 'server',
      parentSpanId: '',
      hasFailed: false,
      attributes: { 'http.request.method': 'POST' },
    },
  ]);
  const [first, second] = collector.spans;
  expect(first!.parentSpanId).toBe(second!.spanId);
  expect(first!.traceId).toBe(second!.traceId);
  expect(first!.attributes).not.toHaveProperty('url.path');
});

test('continues with the trace that a request brings, and hands it on below its own span', async () => {
  const { collector, tracing, tracer } = await start();
  const span = tracer.start('asked', 'server', SAMPLED);
  const { headers } = span;
  span.end();
  await tracing.close(NEVER);
  const { spanId } = collector.spans[0]!;
  expect(collector.spans).toMatchObject([{ traceId: TRACE, parentSpanId: SPAN, traceState: 'vendor=1' }]);
  expect(headers).toEqual({ traceparent: `00-${TRACE}-${spanId}-01`, tracestate: 'vendor=1' });
});

test('leaves out what the caller has left out, and says so to the next service', async () => {
  const { collector, tracing, tracer } = await start();
  const span = tracer.start('asked', 'server', NOT_SAMPLED);
  const child = span.startChild('child', 'client');
  expect([span.isRecorded, child.isRecorded]).toEqual([false, false]);
  expect(child.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  child.end();
  span.end();
  await tracing.close(NEVER);
  expect(collector.spans).toEqual([]);
});

test.each<[SamplerName, boolean, boolean]>([
  ['always_on', true, true],
  ['always_off', false, false],
  ['traceidratio', true, true],
  ['parentbased_always_on', true, false],
  ['parentbased_always_off', false, false],
  ['parentbased_traceidratio', true, false],
])(
  '%s records a new trace: %s, one that its caller leaves out: %s',
  async (sampler, isNewTaken, isOldTaken) => {
    const { tracing, tracer } = await start('well', sampler);
    expect(tracer.start('new', 'server', NO_TRACE).isRecorded).toBe(isNewTaken);
    expect(tracer.start('old', 'server', NOT_SAMPLED).isRecorded).toBe(isOldTaken);
    await tracing.close(NEVER);
  },
);

test('ends a span once, and ignores later calls', async () => {
  const { collector, tracing, tracer } = await start();
  const span = tracer.start('once', 'internal', NO_TRACE);
  span.end();
  span.end();
  span.set({ 'winnow.searches': 1 });
  span.fail('late');
  await tracing.close(NEVER);
  expect(collector.spans).toMatchObject([{ name: 'once', hasFailed: false, attributes: {} }]);
});

test('takes children that are over already', async () => {
  const { collector, tracing, tracer } = await start();
  const span = tracer.start('whole', 'internal', NO_TRACE);
  const now = performance.now();
  span.addChild('part', { startMs: now - 8, endMs: now - 3 });
  span.end();
  await tracing.close(NEVER);
  const [part, whole] = collector.spans;
  expect(part).toMatchObject({ name: 'part', kind: 'internal', parentSpanId: whole!.spanId });
  expect(Number(part!.endNs - part!.startNs) / 1e6).toBeCloseTo(5, 3);
});

test('times what happens within one millisecond in its order, whatever the wall clock does in the meantime', async () => {
  const startedAt = Date.UTC(2026, 0, 1);
  let [now, wall] = [7.5, startedAt];
  const clock = { now: () => now, wallClock: () => wall };
  const { collector, tracing, tracer } = await start('well', 'always_on', clock);
  const root = tracer.start('root', 'server', NO_TRACE);
  [now, wall] = [7.75, startedAt + 60_000];
  const first = root.startChild('first', 'internal');
  now = 8;
  first.end();
  root.addChild('second', { startMs: 8, endMs: 8.25 });
  [now, wall] = [9, startedAt - 60_000];
  root.end();
  await tracing.close(NEVER);
  const sinceStart = (ns: bigint) => Number(ns - BigInt(startedAt) * 1_000_000n) / 1e6;
  const times = collector.spans.map((span) => [span.name, sinceStart(span.startNs), sinceStart(span.endNs)]);
  expect(times).toEqual([
    ['first', 0.25, 0.5],
    ['second', 0.5, 0.75],
    ['root', 0, 1.5],
  ]);
});

test('cuts long texts', async () => {
  const { collector, tracing, tracer } = await start();
  tracer.start('long', 'internal', NO_TRACE, { 'gen_ai.request.model': 'm'.repeat(100_000) }).end();
  await tracing.close(NEVER);
  expect(collector.spans[0]!.attributes['gen_ai.request.model']).toBe('m'.repeat(256));
});

test('drops spans rather than keep more and more of them', async () => {
  const { collector, tracing, tracer } = await start();
  for (let count = 0; count < 10_000; count++) tracer.start('one', 'internal', NO_TRACE).end();
  await tracing.close(NEVER);
  // 2,048 wait, and the first batch of 128 was on its way.
  expect(collector.spans).toHaveLength(2_048 + 128);
});

test('says once that a collector does not take spans', async () => {
  const { states, tracing, tracer } = await start('refuses');
  for (let count = 0; count < 600; count++) tracer.start('one', 'internal', NO_TRACE).end();
  await tracing.close(NEVER);
  expect(states).toEqual(['down']);
});

test('does not wait for a collector that hangs, once the deadline is over', async () => {
  const { tracing, tracer } = await start('hangs');
  tracer.start('one', 'internal', NO_TRACE).end();
  const deadline = new AbortController();
  let isClosed = false;
  const closing = tracing.close(deadline.signal).then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(false);
  deadline.abort();
  await closing;
});

test('makes no span without settings, and passes on the trace that a request brings', async () => {
  const { tracer, close } = await startTracing({
    settings: undefined,
    serviceName: 'tested',
    clock: CLOCK,
    onChange: () => {},
  });
  const span = tracer.start('nothing', 'server', SAMPLED);
  expect(span.isRecorded).toBe(false);
  expect(span.startChild('child', 'client').headers).toBe(SAMPLED);
  await close(NEVER);
});
