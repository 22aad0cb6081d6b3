import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { CollectedMetrics } from '../metrics/metrics-registry.ts';
import { overloaded } from './admission.ts';
import { type Exchange, jsonResponse, type Route, type RouteResponse } from './exchange.ts';
import { selfContainedPage } from './self-contained-page.ts';
import { type ServicePath, servicePath } from './service-path.ts';

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

/** The page of the description. */
function docsPage(): RouteResponse {
  const page = {
    html: readFileSync(new URL('./docs-page/docs-page.html', import.meta.url), 'utf8'),
    style: readFileSync(new URL('./docs-page/docs-page.css', import.meta.url), 'utf8'),
    script: readFileSync(new URL('./docs-page/docs-page.js', import.meta.url), 'utf8'),
  };
  return { status: 200, ...selfContainedPage(page) };
}

/**
 * Returns the paths that every service has: probes, metrics, and its description as a document and as a page.
 */
export function ownPaths(options: OwnPathsOptions): readonly ServicePath[] {
  const { isDraining, readiness = () => ({ status: 'ready' }), collectMetrics, admitScraper } = options;
  const description = jsonResponse(options.description);
  const page = docsPage();
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
    ownPath('/docs', 'docs', () => page),
  ];
}

function ownPath(
  path: string,
  name: string,
  handle: (exchange: Exchange) => RouteResponse | Promise<RouteResponse>,
): ServicePath {
  return servicePath('GET', path, { name, logLevel: 'debug', handle } satisfies Route);
}
