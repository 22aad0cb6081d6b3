import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { CollectedMetrics } from '../metrics/metrics-registry.ts';
import { overloaded } from './admission.ts';
import { type Exchange, jsonResponse, type Route, type RouteResponse } from './exchange.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

/** A path of a service, and its routes by method. */
export interface ServicePath {
  /** The path, with its parameters as `{id}`. */
  readonly path: string;
  /** The name of requests with another method in metrics and logs. */
  readonly name: string;
  readonly methods: Readonly<Partial<Record<Method, (params: Readonly<Record<string, string>>) => Route>>>;
}

/** Returns a path with one route. `GET` includes `HEAD`. */
export function servicePath(method: Method, path: string, route: Route): ServicePath {
  return { path, name: route.name, methods: { [method]: () => route } };
}

/** The parts of the common paths that differ between services. */
export interface OwnPathsOptions {
  readonly isDraining: () => boolean;
  /** Returns the body of `/readyz`; throws `overloaded` while requests should go elsewhere. */
  readonly readiness?: () => { readonly status: 'ready' };
  readonly collectMetrics: () => Promise<CollectedMetrics>;
  /** Throws when the sender of a request may not read metrics. */
  readonly admitScraper: (incoming: IncomingMessage) => void;
  /** The OpenAPI document, made from the schemas that validate requests. */
  readonly description: object;
}

/** The page of the description: https://github.com/Authress-Engineering/openapi-explorer renders it. */
const PAGE: RouteResponse = {
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Winnow</title>
<script type="module" src="docs/openapi-explorer.js"></script>
<openapi-explorer spec-url="openapi.json"></openapi-explorer>
<noscript>The description is in <a href="openapi.json">openapi.json</a>.</noscript>
</html>
`,
};

const EXPLORER = new URL(
  '../../../../node_modules/openapi-explorer/dist/browser/openapi-explorer.min.js',
  import.meta.url,
);

/** Returns the script of the page, a file of 750 KB that few ask for. */
function explorer(): RouteResponse {
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'max-age=3600' };
  return { status: 200, headers, body: readFileSync(EXPLORER, 'utf8') };
}

/**
 * Returns the paths that every service has: probes, metrics, and its description as a document and as a page.
 */
export function ownPaths(options: OwnPathsOptions): readonly ServicePath[] {
  const { isDraining, readiness = () => ({ status: 'ready' }), collectMetrics, admitScraper } = options;
  const description = jsonResponse(options.description);
  return [
    ownPath('/healthz', 'healthz', () => jsonResponse({ status: 'alive' })),
    ownPath('/readyz', 'readyz', () => {
      if (isDraining()) throw overloaded('The service is shutting down.');
      return jsonResponse(readiness());
    }),
    ownPath('/metrics', 'metrics', async ({ incoming }) => {
      admitScraper(incoming);
      const { text, contentType } = await collectMetrics();
      return { status: 200, headers: { 'content-type': contentType }, body: text };
    }),
    ownPath('/openapi.json', 'openapi', () => description),
    ownPath('/docs', 'docs', () => PAGE),
    ownPath('/docs/openapi-explorer.js', 'docs', explorer),
  ];
}

function ownPath(
  path: string,
  name: string,
  handle: (exchange: Exchange) => RouteResponse | Promise<RouteResponse>,
): ServicePath {
  return servicePath('GET', path, { name, isQuiet: true, handle } satisfies Route);
}
