import type { RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { commonError } from './api-error.ts';
import { type ExchangeContext, errorResponse, type Route, runExchange } from './exchange.ts';
import type { ServicePath } from './own-paths.ts';
import { invalidRequest } from './receive-json.ts';

type Bindings = { Bindings: HttpBindings };

/**
 * Returns a service as a listener for Node's HTTP server.
 *
 * Hono only finds the route. Requests are read from Node's own objects, and responses written to them,
 * because passing a body of 16 MB through web streams costs more than searching it.
 */
export function createListener(
  paths: readonly ServicePath[],
  context: ExchangeContext,
  description: object = {},
): RequestListener {
  const listener = getRequestListener(createApp(paths, context, description).fetch, {
    // Responses are written to Node's own response, so the adapter's faster global classes would not help.
    overrideGlobalObjects: false,
    errorHandler: () => refuseBrokenTarget(context),
  });
  return (incoming, outgoing) => {
    // Load balancers still check health with HTTP/1.0, which does not require a host; the adapter's URLs do.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost';
    return listener(incoming, outgoing);
  };
}

function createApp(
  paths: readonly ServicePath[],
  context: ExchangeContext,
  description: object,
): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const run = async (hono: Context<Bindings>, route: Route) => {
    await runExchange(route, hono.env.incoming, hono.env.outgoing, context);
    return RESPONSE_ALREADY_SENT;
  };
  for (const { path, name, methods } of paths) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1');
    const entries = Object.entries(methods);
    for (const [method, routeFor] of entries)
      app.on(method, pattern, (hono) => {
        const unknown = unknownQuery(() => hono.req.queries(), description, { path, method });
        return run(hono, unknown ?? routeFor(hono.req.param()));
      });
    const allow = entries.map(([method]) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    const refusal = wrongMethodRoute(name, allow);
    app.all(pattern, (hono) => run(hono, refusal));
  }
  app.notFound((hono) => run(hono, notFoundRoute));
  return app;
}

/** Returns the response to an invalid target or host header, which the adapter finds before routing. */
function refuseBrokenTarget({ makeId, writeError }: ExchangeContext): Response {
  const error = commonError('invalid_request', 'The request target or the host header is not valid.');
  const { status, headers, body } = errorResponse(error, writeError);
  return new Response(body, { status, headers: { ...headers, 'x-request-id': makeId() } });
}

/** Responds to a request without a route. */
const notFoundRoute: Route = {
  name: 'not_found',
  handle() {
    throw commonError('not_found', 'There is no such route; GET /docs shows all.');
  },
};

/** The part of a description that names the parameters of an operation. */
interface Described {
  readonly paths?: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly parameters?: readonly { in: string; name: string }[] }>>
    >
  >;
}

/**
 * Returns the route that refuses a parameter of the query which the description of an operation does not name, such
 * as `limit` for `page_size`: without it, a request would get other data than it asked for. Requests with a body, and
 * operations without parameters, such as probes, accept any.
 */
function unknownQuery(
  query: () => Readonly<Record<string, unknown>>,
  description: Described,
  { path, method }: { readonly path: string; readonly method: string },
): Route | undefined {
  if (method !== 'GET' && method !== 'DELETE') return undefined;
  const { parameters } = description.paths?.[path]?.[method.toLowerCase()] ?? {};
  if (parameters === undefined) return undefined;
  const names = parameters.flatMap((one) => (one.in === 'query' ? one.name : []));
  const unknown = Object.keys(query()).find((name) => !names.includes(name));
  if (unknown === undefined) return undefined;
  const hint = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  return {
    name: 'invalid_query',
    handle() {
      throw invalidRequest([
        { path: unknown.slice(0, 100), message: `is no parameter of this request: ${hint}` },
      ]);
    },
  };
}

/** Returns the route that responds to other methods on a known path. */
function wrongMethodRoute(name: string, allow: string): Route {
  return {
    name,
    handle() {
      throw commonError('method_not_allowed', `This route accepts only ${allow}.`, {
        headers: { allow },
      });
    },
  };
}
