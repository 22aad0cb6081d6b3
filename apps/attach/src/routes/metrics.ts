import type { Route } from '@winnow/service';
import type { Callers } from '../http/callers.ts';
import type { Metrics } from '../metrics.ts';

/** `GET /metrics`, for Prometheus. */
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
