import type { Server } from 'node:http';

/**
 * Whether a server uses TLS. The check avoids `instanceof`, because loading the class takes longer than most
 * of a service's start.
 */
export function isTlsServer(server: Server): boolean {
  return 'setSecureContext' in server;
}
