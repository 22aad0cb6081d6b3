import { type HeadersByName, headerValue, type RawHeaders } from '../http/headers.ts';

/** The page that reads a response from another origin. */
export interface CrossOrigin {
  /** The page's origin, if it may read the response. */
  readonly allowed: string | undefined;
}

/** Time for which a browser may remember a preflight, in seconds. */
const MAX_AGE_SECONDS = '600';

/**
 * Whether a request is a browser's question about a later one.
 *
 * Source: https://fetch.spec.whatwg.org/#cors-preflight-request
 */
export function isPreflight(method: string | undefined, headers: HeadersByName): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Returns the headers that allow what a preflight asks for. */
export function preflightHeaders(headers: RawHeaders): string[] {
  const asked = (name: string) => headerValue(headers, name) ?? '';
  return [
    ...['access-control-allow-methods', asked('access-control-request-method')],
    ...['access-control-allow-headers', asked('access-control-request-headers')],
    ...['access-control-max-age', MAX_AGE_SECONDS],
    ...['vary', 'access-control-request-method, access-control-request-headers'],
  ];
}

/**
 * Returns a response's headers with the page's permission in place of the upstream's, which does not know the
 * page. An allowed page may read every header: request ids, rate limits and times to wait have many names.
 */
export function readableBy({ allowed }: CrossOrigin, headers: readonly string[]): string[] {
  const kept: string[] = [];
  const names = new Set<string>();
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    if (name.startsWith('access-control-')) continue;
    kept.push(headers[at]!, headers[at + 1]!);
    names.add(name);
  }
  if (allowed === undefined) return kept;
  return [
    ...kept,
    ...['access-control-allow-origin', allowed],
    // Lets a page send the cookies of an access proxy in front; this proxy reads none.
    ...['access-control-allow-credentials', 'true'],
    ...['access-control-expose-headers', [...names].join(', ')],
    ...['vary', 'origin'],
  ];
}
