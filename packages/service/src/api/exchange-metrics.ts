import type { MetricsRegistry } from '../metrics/metrics-registry.ts';
import type { ExchangeMetrics } from './exchange.ts';

/** The state that is read when metrics are collected, and the parameters of a service's request metrics. */
export interface ExchangeMetricsOptions {
  /** Codes of all errors of the service. */
  readonly codes: readonly string[];
  /** Upper bounds of the durations of requests, in seconds. */
  readonly secondsBuckets: readonly number[];
  /** Returns the number of requests being received or answered. */
  readonly waiting: () => number;
  /** Returns the number of held bytes of bodies. */
  readonly heldBytes: () => number;
  /** Returns the number of log lines that could not be written so far. */
  readonly lostLines: () => number;
}

/** Adds the metrics that every service has of its requests. */
export function createExchangeMetrics(
  registry: MetricsRegistry,
  { codes, secondsBuckets, waiting, heldBytes, lostLines }: ExchangeMetricsOptions,
): ExchangeMetrics {
  registry.watch({
    waiting_requests: ['Requests being received or answered.', waiting],
    held_body_bytes: ['Memory of bodies being received or answered, in bytes.', heldBytes],
    log_lines_lost_total: ['Log lines that could not be written.', lostLines],
  });
  const measures = registry.add({
    requests_total: { help: 'Responses by route and status.', labels: ['route', 'status'] },
    request_seconds: {
      help: 'Time from the head of a request to the end of its response, or to the head of a stream.',
      labels: ['route'],
      buckets: secondsBuckets,
    },
    refused_total: { help: 'Requests that got an error, by its code.', labels: ['code'], known: codes },
  });
  return {
    countRequest(route, status, durationMs) {
      measures.requests_total.inc({ route, status });
      measures.request_seconds.observe({ route }, durationMs / 1_000);
    },
    countRefusal: (code) => measures.refused_total.inc({ code }),
  };
}
