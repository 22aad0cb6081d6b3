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
import { metricsRoute } from './routes/metrics.ts';
import { describeApi } from './routes/openapi.ts';
import { readyRoute } from './routes/probes.ts';
import { type SearchRouteContext, searchRoute } from './routes/search.ts';
import { SEARCH_PATH } from './search-path.ts';
import { SelectorError } from './selector-error.ts';

/** What the routes need, all together. */
export type AppContext = SearchRouteContext & ExchangeContext;

type Bindings = { Bindings: HttpBindings };

/**
 * The service as a listener for Node's HTTP server.
 *
 * Hono finds the route, nothing more: requests are read from and responses written to Node's own objects, because a body of
 * 16 MB that passes through web streams costs more than searching it.
 */
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

  const search = searchRoute(context);
  app.post(SEARCH_PATH, run(search));
  app.all(SEARCH_PATH, run(wrongMethodRoute(search.name, 'POST')));
  get('/healthz', healthRoute);
  get(
    '/readyz',
    readyRoute(context.isDraining, () => context.registry?.status),
  );
  get('/metrics', metricsRoute(context.metrics, context.callers));
  get('/openapi.json', openApiRoute(describeApi()));
  get('/docs', docsRoute());
  app.notFound(run(notFoundRoute));
  return app;
}

/** A target that is no URL, or a host header that is none: the adapter finds these before there is a route. */
function refuseBrokenTarget(requestId: string): Response {
  const { status, headers, body } = errorResponse(
    new SelectorError('invalid_request', 'The request target or the host header is not valid.'),
  );
  return new Response(body, { status, headers: { ...headers, 'x-request-id': requestId } });
}
