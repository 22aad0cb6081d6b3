import type { RequestListener } from 'node:http';
import {
  createListener,
  docsRoute,
  type ExchangeContext,
  healthRoute,
  openApiRoute,
  servicePath,
} from '@winnow/service';
import { metricsRoute } from './routes/metrics.ts';
import { describeApi } from './routes/openapi.ts';
import { readyRoute } from './routes/probes.ts';
import { type SearchRouteContext, searchRoute } from './routes/search.ts';
import { SEARCH_PATH } from './search-path.ts';

/** What the routes need, all together. */
export type AppContext = SearchRouteContext & ExchangeContext;

/** The service as a listener for Node's HTTP server. */
export function createApp(context: AppContext): RequestListener {
  const ready = readyRoute(context.isDraining, () => context.registry?.status);
  return createListener(
    [
      servicePath('POST', SEARCH_PATH, searchRoute(context)),
      servicePath('GET', '/healthz', healthRoute),
      servicePath('GET', '/readyz', ready),
      servicePath('GET', '/metrics', metricsRoute(context.metrics, context.callers)),
      servicePath('GET', '/openapi.json', openApiRoute(describeApi())),
      servicePath('GET', '/docs', docsRoute()),
    ],
    context,
  );
}
