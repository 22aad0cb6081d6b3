import { type Method, type ServicePath, servicePath } from '@winnow/service';
import type { z } from 'zod';
import { type AttachRoute, type RouteContext, toRoute } from './http/attach-route.ts';
import type { Metrics } from './metrics.ts';
import { attachRoute, type ChangeContext, pruneRoute } from './routes/attach.ts';
import { listRoute, refreshRoute, searchRoute } from './routes/tools.ts';
import { type WebhookContext, webhookRoute } from './routes/webhook.ts';

/** Everything that the routes need, all together. */
export type PathContext = RouteContext & ChangeContext & WebhookContext & { readonly metrics: Metrics };

/** The paths of the service, apart from those that every service has. */
export function listPaths(context: PathContext): readonly ServicePath[] {
  const attach = <Schema extends z.ZodType | undefined>(method: Method, route: AttachRoute<Schema>) =>
    servicePath(method, route.path, toRoute(route, context));
  const webhook = webhookRoute(context);
  return [
    attach('POST', attachRoute(context)),
    attach('POST', pruneRoute(context)),
    attach('POST', searchRoute),
    attach('GET', listRoute),
    attach('POST', refreshRoute),
    servicePath('POST', webhook.tracedPath!, webhook),
  ];
}
