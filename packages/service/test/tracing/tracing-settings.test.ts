import { expect, test } from 'vitest';
import { readTracingSettings } from '../../src/tracing/tracing-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const OFF = { ok: true, tracing: undefined };

test('tracing is off without an endpoint, whatever else is set', () => {
  expect(readTracingSettings({})).toEqual(OFF);
  expect(readTracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toEqual(OFF);
  expect(readTracingSettings({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'x' })).toEqual(OFF);
});

test.each([{ OTEL_SDK_DISABLED: 'True' }, { OTEL_TRACES_EXPORTER: 'none' }])(
  'is switched off by %o',
  (off) => {
    expect(readTracingSettings({ ...ENDPOINT, ...off })).toEqual(OFF);
  },
);

test('spans go below the endpoint, all of them unless their parent is left out', () => {
  const tracing = { url: 'http://collector:4318/v1/traces', sampler: 'parentbased_always_on', ratio: 1 };
  expect(readTracingSettings(ENDPOINT)).toEqual({ ok: true, tracing });
});

test.each([
  ['http://collector/base', 'http://collector/base/v1/traces'],
  ['http://collector/base/', 'http://collector/base/v1/traces'],
])('the path of the endpoint %s is kept', (endpoint, url) => {
  const outcome = readTracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  expect(outcome).toMatchObject({ tracing: { url } });
});

test('an endpoint for traces is taken as it is, and wins', () => {
  const outcome = readTracingSettings({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
  });
  expect(outcome).toMatchObject({ tracing: { url: 'https://traces.example/in' } });
});

test.each(['0', '0.25', '.5', '1', '1.0'])('the sampler takes the ratio %s', (ratio) => {
  const outcome = readTracingSettings({
    ...ENDPOINT,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });
  expect(outcome).toMatchObject({ tracing: { sampler: 'parentbased_traceidratio', ratio: Number(ratio) } });
});

test.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address.',
  ],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf.'],
  [
    { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be http/protobuf.',
  ],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /^OTEL_TRACES_SAMPLER must be one of always_on, /],
  [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.'],
])('%o is a problem that names the variable', (wrong, problem) => {
  const outcome = readTracingSettings({ ...ENDPOINT, ...wrong });
  expect(outcome).toEqual({ ok: false, problems: [expect.stringMatching(problem)] });
});

test('the protocol for traces wins over the one for everything', () => {
  const outcome = readTracingSettings({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
  });
  expect(outcome).toMatchObject({ ok: true });
});
