import { FORMATS, type Format, matchRoute, type Purpose } from '@winnow/wire';

/** A request's format and purpose. */
export interface Route {
  readonly format: Format;
  readonly purpose: Purpose;
}

/** Returns the format that handles a route; undefined if none does. `path` has no query. */
export function findFormat(method: string, path: string): Route | undefined {
  for (const format of FORMATS) {
    const purpose = matchRoute(format.reading, method, path);
    if (purpose !== undefined) return { format, purpose };
  }
  return undefined;
}
