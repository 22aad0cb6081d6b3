import type { RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import {
  docsRoute,
  type ExchangeContext,
  errorResponse,
  healthRoute,
  notFoundRoute,
  openApiRoute,
  type Route,
  runExchange,
  wrongMethodRoute,
} from '@winnow/json-api';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { type RegistryRoute, type RouteContext, toRoute } from './http/registry-route.ts';
import { RegistryError } from './registry-error.ts';
import { type ChangesContext, changesRoute } from './routes/changes.ts';
import { expandRoute, namespacesRoute, statsRoute, usageRoute } from './routes/content.ts';
import { metricsRoute } from './routes/metrics.ts';
import { describeApi } from './routes/openapi.ts';
import { readyRoute } from './routes/probes.ts';
import { searchRoute } from './routes/search.ts';
import { searchToolRoute, searchToolSearchRoute } from './routes/search-tool.ts';
import { examplesRoute, listRoute, registerRoute, removeRoute, toolRoute } from './routes/tools.ts';
import { VERSION } from './version.ts';

/** What the routes need, all together. */
export type AppContext = RouteContext & ChangesContext & Omit<ExchangeContext, 'metrics'>;

type Bindings = { Bindings: HttpBindings };
type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/** The service as a listener for Node's HTTP server. Hono finds the route, nothing more. */
export function createListener(context: AppContext): RequestListener {
  const listener = getRequestListener(createApp(context).fetch, {
    // Responses are written to Node's own response, so the adapter's faster global classes would gain nothing.
    overrideGlobalObjects: false,
    errorHandler: () => refuseBrokenTarget(context.makeId()),
  });
  return (incoming, outgoing) => {
    // Load balancers still check health in HTTP/1.0, which need not name a host; the adapter's URLs do.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost';
    return listener(incoming, outgoing);
  };
}

function createApp(context: AppContext): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const run = (route: Route) => async (hono: Context<Bindings>) => {
    await runExchange(route, hono.env.incoming, hono.env.outgoing, context);
    return RESPONSE_ALREADY_SENT;
  };
  const get = (path: string, route: Route) => {
    app.get(path, run(route));
    app.all(path, run(wrongMethodRoute(route.name, 'GET, HEAD')));
  };
  /** All routes of one path, by method. */
  const registry = (routes: Partial<Record<Method, RegistryRoute<never>>>) => {
    const entries = Object.entries(routes) as [Method, RegistryRoute<undefined>][];
    const [, first] = entries[0]!;
    const path = first.path.replace(/\{(\w+)\}/g, ':$1');
    for (const [method, route] of entries) {
      app.on(method, path, (hono) => run(toRoute(route, hono.req.param(), context))(hono));
    }
    const allow = entries.map(([method]) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    app.all(path, run(wrongMethodRoute(first.name, allow)));
  };

  registry({ POST: erased(searchRoute(context)) });
  registry({ PUT: erased(registerRoute), GET: erased(listRoute) });
  registry({ GET: erased(toolRoute), DELETE: erased(removeRoute) });
  registry({ PUT: erased(examplesRoute) });
  registry({ GET: erased(namespacesRoute) });
  registry({ POST: erased(expandRoute) });
  registry({ POST: erased(usageRoute) });
  registry({ GET: erased(statsRoute) });
  registry({ GET: erased(changesRoute(context)) });
  registry({ GET: erased(searchToolRoute) });
  registry({ POST: erased(searchToolSearchRoute(context)) });
  get('/healthz', healthRoute);
  get(
    '/readyz',
    readyRoute(() => context.registries.isOpen, context.isDraining),
  );
  get('/metrics', metricsRoute(context.metrics, context.callers));
  get('/openapi.json', openApiRoute(describeApi(VERSION)));
  get('/docs', docsRoute());
  app.notFound(run(notFoundRoute));
  return app;
}

/** A route whose body's form is its own business. */
function erased<Schema extends z.ZodType | undefined>(route: RegistryRoute<Schema>): RegistryRoute<never> {
  return route as unknown as RegistryRoute<never>;
}

/** A target that is no URL, or a host header that is none: the adapter finds these before there is a route. */
function refuseBrokenTarget(requestId: string): Response {
  const { status, headers, body } = errorResponse(
    new RegistryError('invalid_request', 'The request target or the host header is not valid.'),
  );
  return new Response(body, { status, headers: { ...headers, 'x-request-id': requestId } });
}
