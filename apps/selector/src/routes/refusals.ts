import type { Route } from '../exchange.ts';
import { SelectorError } from '../selector-error.ts';

/** Answers what has no route. */
export const notFoundRoute: Route = {
  name: 'not_found',
  logLevel: 'info',
  handle() {
    throw new SelectorError('not_found', 'There is no such route.');
  },
};

/** Answers a known path that was asked with another method. */
export function wrongMethodRoute(name: string, allow: string): Route {
  return {
    name,
    logLevel: 'info',
    handle() {
      throw new SelectorError('method_not_allowed', `This route answers ${allow} only.`, {
        headers: { allow },
      });
    },
  };
}
