import type { MetricsRegistry } from '../metrics/metrics-registry.ts';
import type { ExchangeMetrics } from './exchange.ts';

/** What is read when metrics are collected, and what a service's requests are measured by. */
export interface ExchangeMetricsOptions {
  /** Codes of all errors that the service knows. */
  readonly codes: readonly string[];
  /** Upper bounds of the times of requests, in seconds. */
  readonly secondsBuckets: readonly number[];
  /** Requests being received or answered. */
  readonly waiting: () => number;
  /** Bytes of bodies. */
  readonly heldBytes: () => number;
  /** Log lines that could not be written so far. */
  readonly lostLines: () => number;
}

/**
 * The measures that every service has of its requests: `PREFIX_requests_total`, `_request_seconds`, `_refused_total`, `_waiting_requests`, `_held_body_bytes` and
 * `_log_lines_lost_total`.
 *
 * @param prefix what the names begin with, such as `winnow_selector`
 */
export function createExchangeMetrics(
  registry: MetricsRegistry,
  prefix: string,
  { codes, secondsBuckets, waiting, heldBytes, lostLines }: ExchangeMetricsOptions,
): ExchangeMetrics {
  registry.gauge(`${prefix}_waiting_requests`, 'Requests being received or answered.', waiting);
  registry.gauge(
    `${prefix}_held_body_bytes`,
    'Memory of bodies being received or answered, in bytes.',
    heldBytes,
  );
  registry.total(`${prefix}_log_lines_lost_total`, 'Log lines that could not be written.', lostLines);
  const requests = registry.counter(`${prefix}_requests_total`, 'Responses by route and status.', [
    'route',
    'status',
  ]);
  const requestSeconds = registry.histogram(
    `${prefix}_request_seconds`,
    'Time from the head of a request to the end of its response, or to the head of a stream.',
    secondsBuckets,
    ['route'],
  );
  const refusals = registry.counter(`${prefix}_refused_total`, 'Requests that got an error, by its code.', [
    'code',
  ]);
  // An alert on a rate needs the zero before the first one.
  for (const code of codes) refusals.inc({ code }, 0);
  return {
    countRequest(route, status, durationMs) {
      requests.inc({ route, status });
      requestSeconds.observe({ route }, durationMs / 1_000);
    },
    countRefusal: (code) => refusals.inc({ code }),
  };
}
