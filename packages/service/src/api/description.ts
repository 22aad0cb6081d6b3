import { readFileSync } from 'node:fs';
import { jsonResponse, type Route } from './exchange.ts';

/** `GET /openapi.json`: the service described, from the schemas that validate. Open to all: it holds nothing of anybody. */
export function openApiRoute(description: object): Route {
  const response = jsonResponse(description);
  return { name: 'openapi', logLevel: 'debug', handle: () => response };
}

/** Scripts and styles only from the page itself, requests only to this service, and no framing. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `GET /docs`: a page that shows the description and lets one try it. */
export function docsRoute(): Route {
  const body = readFileSync(new URL('./docs-page.html', import.meta.url), 'utf8');
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': PAGE_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  return { name: 'docs', logLevel: 'debug', handle: () => ({ status: 200, headers, body }) };
}
