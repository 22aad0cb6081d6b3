import { Counter, Histogram, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { MetricsRegistry } from '../../src/metrics/metrics-registry.ts';

/** The service's own metrics, without the library's process metrics. */
async function ownMetrics(registry: MetricsRegistry): Promise<string> {
  const { text } = await registry.collect();
  return text.slice(text.indexOf('# HELP winnow_'));
}

const INFO = `# HELP winnow_build_info Always 1; the label says which version runs.
# TYPE winnow_build_info gauge
winnow_build_info{service="test",version="1.2.3"} 1
`;

const create = () => new MetricsRegistry('test', '1.2.3');

describe('the metrics of a service', () => {
  test('are written after those of its process, and tell the running version', async () => {
    const { text, contentType } = await create().collect();
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toMatch(/^# HELP process_cpu_user_seconds_total /);
    expect(text).toMatch(/\n\n# HELP nodejs_gc_duration_seconds /);
    expect(text.endsWith(`\n\n${INFO}`)).toBe(true);
  });

  test('are counted by the values of their labels, in order of first occurrence', async () => {
    const registry = create();
    const { requests_total: requests } = registry.add({
      requests_total: { help: 'Requests.', labels: ['route', 'status'] },
    });
    requests.inc({ route: 'b', status: 200 });
    requests.inc({ status: 200, route: 'a' }, 3);
    requests.inc({ route: 'b', status: 200 });
    requests.inc({ route: 'b', status: 500 }, 0);
    expect(await ownMetrics(registry)).toBe(`${INFO}
# HELP winnow_test_requests_total Requests.
# TYPE winnow_test_requests_total counter
winnow_test_requests_total{route="b",status="200"} 2
winnow_test_requests_total{route="a",status="200"} 3
winnow_test_requests_total{route="b",status="500"} 0
`);
  });

  test('without labels exist before the first count', async () => {
    const registry = create();
    registry.add({ total: { help: 'All.' }, bytes: { help: 'Bytes.', buckets: [1] } }).total.inc({}, 2);
    expect(await ownMetrics(registry)).toBe(`${INFO}
# HELP winnow_test_total All.
# TYPE winnow_test_total counter
winnow_test_total 2

# HELP winnow_test_bytes Bytes.
# TYPE winnow_test_bytes histogram
winnow_test_bytes_bucket{le="1"} 0
winnow_test_bytes_bucket{le="+Inf"} 0
winnow_test_bytes_sum 0
winnow_test_bytes_count 0
`);
  });

  test('of other code are read when they are collected', async () => {
    const registry = create();
    let open = 1;
    registry.watch({
      open: ['Open.', () => open],
      lost_total: ['Lost.', () => open * 2],
      dropped_total: ['Dropped.', () => ({ file: open, stdout: 0 }), 'to'],
    });
    open = 5;
    expect(await ownMetrics(registry)).toBe(`${INFO}
# HELP winnow_test_open Open.
# TYPE winnow_test_open gauge
winnow_test_open 5

# HELP winnow_test_lost_total Lost.
# TYPE winnow_test_lost_total counter
winnow_test_lost_total 10

# HELP winnow_test_dropped_total Dropped.
# TYPE winnow_test_dropped_total counter
winnow_test_dropped_total{to="file"} 5
winnow_test_dropped_total{to="stdout"} 0
`);
  });

  test('with known values exist before the first count, at 0', async () => {
    const registry = create();
    registry.add({ refused_total: { help: 'Refused.', labels: ['code'], known: ['late', 'large'] } });
    expect(await ownMetrics(registry)).toContain(
      'winnow_test_refused_total{code="late"} 0\nwinnow_test_refused_total{code="large"} 0\n',
    );
  });

  test('have each name once', () => {
    const registry = create();
    registry.add({ total: { help: 'All.' } });
    expect(() => registry.watch({ total: ['All.', () => 0] })).toThrow(
      'There already is a metric winnow_test_total.',
    );
  });

  test('are written as prom-client writes them', async () => {
    const [ours, theirs] = [create(), new Registry()];
    const counter = ['winnow_test_total', 'A "total",\nover \\ all.', ['name', 'kind']] as const;
    const histogram = ['winnow_test_seconds', 'Seconds.', [0.001, 0.25, 1, 2.5], ['name']] as const;
    const measures = ours.add({
      total: { help: counter[1], labels: counter[2] },
      seconds: { help: histogram[1], labels: histogram[3], buckets: histogram[2] },
    });
    const { total: ourCounter, seconds: ourHistogram } = measures;
    const [name, help, labelNames] = counter;
    const theirCounter = new Counter({ name, help, labelNames, registers: [theirs] });
    const theirHistogram = new Histogram({
      name: histogram[0],
      help: histogram[1],
      buckets: [...histogram[2]],
      labelNames: histogram[3],
      registers: [theirs],
    });
    const values = [0.0001, 0.001, 0.0011, 0.25, 0.3, 1, 2.5, 2.6, 1e9, 0, 1e-9, 0.1 + 0.2];
    for (const value of values) {
      for (const text of ['plain', 'a "quoted" \\ and\nbroken one', '']) {
        ourCounter.inc({ name: text, kind: 'k' }, value);
        theirCounter.inc({ name: text, kind: 'k' }, value);
        ourHistogram.observe({ name: text }, value);
        theirHistogram.observe({ name: text }, value);
      }
    }
    expect(await ownMetrics(ours)).toBe(`${INFO}\n${await theirs.metrics()}`);
  });
});
