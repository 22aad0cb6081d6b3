import type { ServerTls } from './read-server-tls.ts';

/** Returns Node's options for a server with these certificates. */
export function secureOptions(tls: ServerTls) {
  return {
    ...tls,
    minVersion: 'TLSv1.2' as const,
    requestCert: tls.ca !== undefined,
    rejectUnauthorized: tls.ca !== undefined,
  };
}
