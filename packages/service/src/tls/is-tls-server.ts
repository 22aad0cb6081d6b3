import type { Server } from 'node:http';

/** Whether a server speaks TLS. It is not asked for its class: loading that takes longer than most of the start of a service. */
export function isTlsServer(server: Server): boolean {
  return 'setSecureContext' in server;
}
