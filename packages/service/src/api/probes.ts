import { overloaded } from './admission.ts';
import { jsonResponse, type Route } from './exchange.ts';

/** `GET /healthz`: the process is alive. */
export const healthRoute: Route = {
  name: 'healthz',
  logLevel: 'debug',
  handle: () => jsonResponse({ status: 'alive' }),
};

/** `GET /readyz`: whether to send requests here; 503 while draining. */
export function readyRoute(isDraining: () => boolean): Route {
  return {
    name: 'readyz',
    logLevel: 'debug',
    handle() {
      if (isDraining()) throw overloaded('The service is shutting down.');
      return jsonResponse({ status: 'ready' });
    },
  };
}
