import type { Route } from '@winnow/service';
import type { Callers } from '../http/callers.ts';
import type { Metrics } from '../metrics.ts';

/** `GET /metrics`, for Prometheus. It sums over all tenants, and so has a right of its own. */
export function metricsRoute(metrics: Metrics, callers: Callers): Route {
  return {
    name: 'metrics',
    logLevel: 'debug',
    async handle({ incoming }) {
      callers.identify(incoming, 'metrics');
      const { text, contentType } = await metrics.collect();
      return { status: 200, headers: { 'content-type': contentType }, body: text };
    },
  };
}
