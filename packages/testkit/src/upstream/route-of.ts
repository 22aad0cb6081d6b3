import { UPSTREAM_FORMATS } from './upstream-formats.ts';

/** The kind of request that a path stands for. */
export type Route = keyof typeof UPSTREAM_FORMATS | 'other';

/** Returns the route of a request. The query string is ignored, and only POST asks a model. */
export function routeOf(method: string, path: string): Route {
  const [plainPath = ''] = path.split('?', 1);
  const routes = Object.entries(UPSTREAM_FORMATS) as [Route, { readonly pathEnds: readonly string[] }][];
  const found = routes.find(([, { pathEnds }]) => pathEnds.some((end) => plainPath.endsWith(end)));
  return method === 'POST' && found !== undefined ? found[0] : 'other';
}
