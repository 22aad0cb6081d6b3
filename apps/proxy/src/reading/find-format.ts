import {
  FORMATS,
  type Format,
  matchRoute,
  type Purpose,
  type RequestAddress,
  type StoredRequest,
} from '@winnow/wire';

/** A request's format and purpose. */
export interface Route {
  readonly format: Format;
  readonly purpose: Purpose;
}

/** Returns the first format with this route; undefined if there is none. `path` has no query. */
export function findFormat(method: string, path: string): Route | undefined {
  for (const format of FORMATS) {
    const purpose = matchRoute(format.reading, method, path);
    if (purpose !== undefined) return { format, purpose };
  }
  return undefined;
}

/** Returns the next format with the same route, which may know the body where the first one does not. */
export function formatAfter(format: Format, path: string): Format | undefined {
  const rest = FORMATS.slice(FORMATS.findIndex(({ name }) => name === format.name) + 1);
  return rest.find(({ reading }) => matchRoute(reading, 'POST', path) !== undefined);
}

/** A request about a response that the provider stores. */
export interface StoredRoute {
  readonly format: Format;
  /** The operation on that response. */
  readonly about: StoredRequest;
}

/** Returns the format and the operation of a request about a stored response; undefined for other requests. */
export function findStored(method: string, address: RequestAddress): StoredRoute | undefined {
  for (const format of FORMATS) {
    const about = format.capabilities.storedResponses?.matchRoute(method, address);
    if (about !== undefined) return { format, about };
  }
  return undefined;
}
