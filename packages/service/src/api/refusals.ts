import { commonError } from './api-error.ts';
import type { Route } from './exchange.ts';

/** Responds to a request without a route. */
export const notFoundRoute: Route = {
  name: 'not_found',
  logLevel: 'info',
  handle() {
    throw commonError('not_found', 'There is no such route.');
  },
};

/** Returns the route that responds to other methods on a known path. */
export function wrongMethodRoute(name: string, allow: string): Route {
  return {
    name,
    logLevel: 'info',
    handle() {
      throw commonError('method_not_allowed', `This route accepts only ${allow}.`, {
        headers: { allow },
      });
    },
  };
}
