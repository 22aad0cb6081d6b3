import type { Route } from '@winnow/service';
import type { Callers } from '../callers.ts';
import type { Metrics } from '../metrics.ts';

/** `GET /metrics`, for Prometheus. It tells how the service is used, so it asks for a token where tokens are configured. */
export function metricsRoute(metrics: Metrics, callers: Callers): Route {
  return {
    name: 'metrics',
    logLevel: 'debug',
    async handle({ incoming }) {
      callers.identify(incoming);
      const { text, contentType } = await metrics.collect();
      return { status: 200, headers: { 'content-type': contentType }, body: text };
    },
  };
}
