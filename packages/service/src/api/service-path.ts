import type { Route } from './exchange.ts';

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
