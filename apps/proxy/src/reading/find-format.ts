import { FORMATS, type Format, matchRoute, type Purpose } from '@winnow/wire';

/** The format of a request, and what the request is for. */
export interface Route {
  readonly format: Format;
  readonly purpose: Purpose;
}

/** The format that handles a route, undefined when none does. `path` has no query. */
export function findFormat(method: string, path: string): Route | undefined {
  for (const format of FORMATS) {
    const purpose = matchRoute(format.reading, method, path);
    if (purpose !== undefined) return { format, purpose };
  }
  return undefined;
}
