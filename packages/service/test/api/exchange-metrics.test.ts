import { expect, test } from 'vitest';
import { createExchangeMetrics } from '../../src/api/exchange.ts';
import { MetricsRegistry } from '../../src/metrics/metrics-registry.ts';

test('requests, refusals and held bytes have the same metrics in every service', async () => {
  const registry = new MetricsRegistry('test', '1');
  const metrics = createExchangeMetrics(registry, {
    codes: ['overloaded', 'internal'],
    secondsBuckets: [0.1, 1],
    waiting: () => 3,
    heldBytes: () => 4_096,
  });
  metrics.countRequest('search', 200, 500);
  metrics.countRefusal('overloaded');
  const { text } = await registry.collect();
  for (const line of [
    'winnow_requests_total{service="test",route="search",status="200"} 1',
    'winnow_request_seconds_bucket{service="test",le="0.1",route="search"} 0',
    'winnow_request_seconds_bucket{service="test",le="1",route="search"} 1',
    'winnow_refused_total{service="test",code="overloaded"} 1',
    // Exists before the first count, for alerts on rates.
    'winnow_refused_total{service="test",code="internal"} 0',
    'winnow_waiting_requests{service="test"} 3',
    'winnow_held_body_bytes{service="test"} 4096',
  ])
    expect(text.split('\n')).toContain(line);
});
