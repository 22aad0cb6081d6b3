import type { RequestListener } from 'node:http';
import {
  createListener,
  docsRoute,
  type ExchangeContext,
  healthRoute,
  type Method,
  openApiRoute,
  readyRoute,
  servicePath,
} from '@winnow/service';
import type { z } from 'zod';
import { type AttachRoute, type RouteContext, toRoute } from './http/attach-route.ts';
import type { Metrics } from './metrics.ts';
import { attachRoute, type ChangeContext } from './routes/attach.ts';
import { metricsRoute } from './routes/metrics.ts';
import { describeApi } from './routes/openapi.ts';
import { pruneRoute } from './routes/prune.ts';
import { listRoute, refreshRoute, searchRoute } from './routes/tools.ts';
import { webhookRoute } from './routes/webhook.ts';
import { VERSION } from './version.ts';

/** What the routes need, all together. */
export type AppContext = RouteContext &
  ChangeContext &
  Omit<ExchangeContext, 'metrics'> & { readonly metrics: Metrics; readonly webhookSecret: string };

/** The service as a listener for Node's HTTP server. */
export function createApp(context: AppContext): RequestListener {
  const attach = <Schema extends z.ZodType | undefined>(method: Method, route: AttachRoute<Schema>) =>
    servicePath(method, route.path, toRoute(route, context));
  const webhook = webhookRoute(context.webhookSecret, context);
  return createListener(
    [
      attach('POST', attachRoute(context)),
      attach('POST', pruneRoute(context)),
      attach('POST', searchRoute),
      attach('GET', listRoute),
      attach('POST', refreshRoute),
      servicePath('POST', webhook.tracedPath!, webhook),
      servicePath('GET', '/healthz', healthRoute),
      servicePath('GET', '/readyz', readyRoute(context.isDraining)),
      servicePath('GET', '/metrics', metricsRoute(context.metrics, context.callers)),
      servicePath('GET', '/openapi.json', openApiRoute(describeApi(VERSION))),
      servicePath('GET', '/docs', docsRoute()),
    ],
    context,
  );
}
