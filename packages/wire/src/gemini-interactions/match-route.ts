import type { Purpose } from '../format/view.ts';

/**
 * `POST …/{version}/interactions` under any prefix, on Vertex with project and location behind the version.
 *
 * Everything about one interaction by its id is another request, and tokens are counted by no route.
 */
export function matchRoute(method: string, path: string): Purpose | undefined {
  return method === 'POST' && CREATE.test(path) ? 'answer' : undefined;
}

const CREATE = /\/v\d+[a-z0-9]*(?:\/projects\/[^/]+\/locations\/[^/]+)?\/interactions\/?$/;
