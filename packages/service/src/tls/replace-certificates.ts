import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { readServerTls, type ServerTls, type ServerTlsFiles } from './read-server-tls.ts';
import { secureOptions } from './secure-options.ts';

/** The certificates that a server uses from now on, and the settings whose files have changed. */
export type Replaced =
  | { readonly ok: true; readonly tls: ServerTls | undefined; readonly changed: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the certificate files of a server again, and uses them for new connections if they have changed. Files
 * that cannot be read, or do not belong together, change nothing.
 */
export function replaceCertificates(
  server: Server,
  used: ServerTls | undefined,
  files: ServerTlsFiles,
): Replaced {
  if (used === undefined) return { ok: true, tls: used, changed: [] };
  try {
    const tls = readServerTls(files);
    if (tls === undefined || isDeepStrictEqual(tls, used)) return { ok: true, tls: used, changed: [] };
    (server as TlsServer).setSecureContext(secureOptions(tls));
    return { ok: true, tls, changed: ['server.cert_file'] };
  } catch (error) {
    return { ok: false, problems: [(error as Error).message] };
  }
}
