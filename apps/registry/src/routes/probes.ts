import { jsonResponse, overloaded, type Route } from '@winnow/service';

/** `GET /readyz`: whether to send requests here; 503 while the content is being read and while the service drains. */
export function readyRoute(isOpen: () => boolean, isDraining: () => boolean): Route {
  return {
    name: 'readyz',
    logLevel: 'debug',
    handle() {
      if (isDraining()) throw overloaded('The service is shutting down.');
      if (!isOpen()) throw overloaded('The registry is starting.');
      return jsonResponse({ status: 'ready' });
    },
  };
}
