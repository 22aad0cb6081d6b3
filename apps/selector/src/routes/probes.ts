import type { RegistryStatus } from '@winnow/registry-client';
import { jsonResponse, overloaded, type Route } from '@winnow/service';

/**
 * `GET /readyz`: whether to send requests here; 503 while draining. It tells how it stands with the registry, where one is followed: a selector is
 * ready without it, as it goes on searching what it knows and what clients send.
 */
export function readyRoute(
  isDraining: () => boolean,
  registryStatus: () => RegistryStatus | undefined,
): Route {
  return {
    name: 'readyz',
    logLevel: 'debug',
    handle() {
      if (isDraining()) throw overloaded('The service is shutting down.');
      const status = registryStatus();
      return jsonResponse({ status: 'ready', ...(status && { registry: status.state }) });
    },
  };
}
