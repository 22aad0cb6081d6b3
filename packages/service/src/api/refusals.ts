import { commonError } from './api-error.ts';
import type { Route } from './exchange.ts';

/** Responds to what has no route. */
export const notFoundRoute: Route = {
  name: 'not_found',
  logLevel: 'info',
  handle() {
    throw commonError('not_found', 'There is no such route.');
  },
};

/** Responds to a known path that was asked with another method. */
export function wrongMethodRoute(name: string, allow: string): Route {
  return {
    name,
    logLevel: 'info',
    handle() {
      throw commonError('method_not_allowed', `This route answers ${allow} only.`, {
        headers: { allow },
      });
    },
  };
}
